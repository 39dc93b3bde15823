/** A server of ANTLR's JSON parser for the program `parse` (see server.rs). */

import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import org.antlr.v4.runtime.BaseErrorListener;
import org.antlr.v4.runtime.CharStreams;
import org.antlr.v4.runtime.CommonTokenStream;
import org.antlr.v4.runtime.RecognitionException;
import org.antlr.v4.runtime.Recognizer;

class Json {
    static class Strict extends BaseErrorListener {
        @Override
        public void syntaxError(Recognizer<?, ?> r, Object symbol, int line, int column, String message, RecognitionException e) {
            throw new IllegalArgumentException(message);
        }
    }

    static boolean parse(String text) {
        var lexer = new JSONLexer(CharStreams.fromString(text));
        var parser = new JSONParser(new CommonTokenStream(lexer));
        lexer.removeErrorListeners();
        lexer.addErrorListener(new Strict());
        parser.removeErrorListeners();
        parser.addErrorListener(new Strict());
        try {
            parser.json();
            return true;
        } catch (IllegalArgumentException | StackOverflowError error) {
            return false;
        }
    }

    static long memory(String which) throws Exception {
        for (String line : Files.readAllLines(Path.of("/proc/self/status"))) {
            if (line.startsWith(which)) return Long.parseLong(line.split("\\s+")[1]);
        }
        return 0;
    }

    public static void main(String[] arguments) throws Exception {
        var threads = ManagementFactory.getThreadMXBean();
        var requests = new BufferedReader(new InputStreamReader(System.in));
        for (String request; (request = requests.readLine()) != null; ) {
            String[] words = request.split("\t");
            String[] texts = new String[words.length - 1];
            long[] sizes = new long[texts.length];
            for (int at = 0; at < texts.length; at++) {
                texts[at] = Files.readString(Path.of(words[at + 1]));
                sizes[at] = Files.size(Path.of(words[at + 1]));
            }
            long before = memory("VmRSS"), least = (long) (Double.parseDouble(words[0]) * 1e9);
            long start = System.nanoTime(), busy = threads.getCurrentThreadCpuTime(), bytes = 0;
            int read = 0, wrong = 0;
            while (read == 0 || System.nanoTime() - start < least) {
                if (!parse(texts[read % texts.length]) && read < texts.length) wrong++;
                bytes += sizes[read++ % texts.length];
            }
            double seconds = (threads.getCurrentThreadCpuTime() - busy) / 1e9;
            System.out.println(bytes + " " + seconds + " " + Math.min(read, texts.length) + " " + wrong + " "
                    + (memory("VmHWM") - before));
        }
    }
}
