// Counts the sentences of a directory that the interpreter of ANTLR 4 accepts.
import java.io.File;
import java.nio.charset.StandardCharsets;
import java.nio.file.*;
import java.util.*;
import java.util.concurrent.*;
import org.antlr.v4.Tool;
import org.antlr.v4.runtime.*;
import org.antlr.v4.runtime.atn.*;
import org.antlr.v4.tool.*;

public class AntlrReference {
    /** Collects the first error. */
    static class Errors extends BaseErrorListener {
        String first;
        @Override public void syntaxError(Recognizer<?, ?> r, Object symbol, int line, int column, String message, RecognitionException e) {
            if (first == null) first = (r instanceof Lexer ? "lexer " : "parser ") + line + ":" + column + " " + message;
        }
    }

    public static void main(String[] args) throws Exception {
        if (args.length < 3) {
            System.err.println("usage: java AntlrReference GRAMMAR.g4 LEXER.g4|- START|- DIRECTORY [SHOWN]\n"
                + "  LEXER.g4   the lexer grammar of a split grammar; - for a combined one\n"
                + "  START      the start rule; - is the first rule\n"
                + "  DIRECTORY  each file is one sentence; - with START `--check` only loads the grammar\n"
                + "  SHOWN      how many rejected files are shown (10)");
            System.exit(2);
        }
        Path grammarPath = Paths.get(args[0]);
        int shown = args.length > 4 ? Integer.parseInt(args[4]) : 10;
        Tool tool = new Tool(new String[] {"-lib", grammarPath.toAbsolutePath().getParent().toString(), "-o", System.getProperty("java.io.tmpdir")});
        tool.libDirectory = grammarPath.toAbsolutePath().getParent().toString();
        Grammar grammar;
        LexerGrammar lexerGrammar;
        if (args[1].equals("-")) {
            grammar = tool.loadGrammar(args[0]);
            if (grammar == null) { System.out.println("reference cannot load"); System.exit(3); }
            lexerGrammar = grammar.getImplicitLexer();
        } else {
            Path lexerPath = Paths.get(args[1]);
            lexerGrammar = (LexerGrammar) tool.loadGrammar(args[1]);
            // The vocabulary must be on the disk before the parser grammar is read.
            Path dir = Files.createTempDirectory("antlr-ref");
            Tool writer = new Tool(new String[] {"-o", dir.toString(), "-lib", tool.libDirectory});
            StringBuilder tokens = new StringBuilder();
            for (Map.Entry<String, Integer> e : lexerGrammar.tokenNameToTypeMap.entrySet())
                if (e.getValue() > 0) tokens.append(e.getKey()).append('=').append(e.getValue()).append('\n');
            for (Map.Entry<String, Integer> e : lexerGrammar.stringLiteralToTypeMap.entrySet())
                tokens.append(e.getKey()).append('=').append(e.getValue()).append('\n');
            for (File f : grammarPath.toAbsolutePath().getParent().toFile().listFiles((d, n) -> n.endsWith(".g4")))
                Files.copy(f.toPath(), dir.resolve(f.getName()), StandardCopyOption.REPLACE_EXISTING);
            Files.write(dir.resolve(lexerGrammar.name + ".tokens"), tokens.toString().getBytes(StandardCharsets.UTF_8));
            Tool parserTool = new Tool(new String[] {"-lib", dir.toString(), "-o", System.getProperty("java.io.tmpdir")});
            parserTool.libDirectory = dir.toString();
            grammar = parserTool.loadGrammar(dir.resolve(grammarPath.getFileName()).toString());
            if (grammar == null) { System.out.println("reference cannot load"); System.exit(3); }
        }
        String start = args[2].equals("-") ? grammar.rules.getElement(0).name : args[2];
        if (grammar.getRule(start) == null) { System.out.println("no rule " + start); System.exit(3); }
        if (args.length < 4) { System.out.println("loaded"); return; }
        int rule = grammar.getRule(start).index;
        ParserInterpreter parser = grammar.createParserInterpreter(new CommonTokenStream(new ListTokenSource(new ArrayList<>())));
        LexerInterpreter lexer = lexerGrammar.createLexerInterpreter(CharStreams.fromString(""));
        File[] files = new File(args[3]).listFiles(File::isFile);
        Arrays.sort(files);
        ExecutorService pool = Executors.newCachedThreadPool(r -> { Thread t = new Thread(null, r, "parse", 256L << 20); t.setDaemon(true); return t; });
        int accepted = 0, all = 0;
        for (File file : files) {
            if (file.length() > 200_000) continue;
            all++;
            String text = new String(Files.readAllBytes(file.toPath()), StandardCharsets.UTF_8);
            final ParserInterpreter p = parser; final LexerInterpreter l = lexer;
            Future<String> result = pool.submit(() -> check(l, p, rule, text));
            String error;
            try { error = result.get(5, TimeUnit.SECONDS); }
            catch (TimeoutException e) {
                error = "slow"; result.cancel(true);
                parser = grammar.createParserInterpreter(new CommonTokenStream(new ListTokenSource(new ArrayList<>())));
                lexer = lexerGrammar.createLexerInterpreter(CharStreams.fromString(""));
            }
            catch (ExecutionException e) { error = "crash " + e.getCause(); }
            if (error == null) accepted++;
            else if (shown-- > 0) System.out.println(file.getName() + " " + error + "\n    " + text.substring(0, Math.min(200, text.length())).replace("\n", "\\n"));
        }
        System.out.printf("%d %d%n", accepted, all);
        System.exit(0);
    }

    static String check(LexerInterpreter lexer, ParserInterpreter parser, int rule, String text) {
        Errors errors = new Errors();
        lexer.setInputStream(CharStreams.fromString(text));
        lexer.removeErrorListeners(); lexer.addErrorListener(errors);
        CommonTokenStream tokens = new CommonTokenStream(lexer);
        parser.reset(); parser.setTokenStream(tokens);
        parser.removeErrorListeners(); parser.addErrorListener(errors);
        parser.parse(rule);
        if (errors.first != null) return errors.first;
        return tokens.LA(1) == Token.EOF ? null : "rest at " + tokens.LT(1);
    }
}
