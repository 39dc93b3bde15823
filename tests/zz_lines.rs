use zester::{Grammar, Parser};
#[test]
fn zz() {
    let head = "@line nl = \"\\n\" ;\n@skip skip = \" \" ;\n@token t0 = \"[\" ( t0 | \"x\" )* \"]\" ;\n@token t1 = ( [a-c]* [0-9]? ) - \"a\" ;\n";
    let full = r#"@start r0 = t1* t0{2} nl @indent ( "b" r2 nl )+ @dedent | r2{0,300} [a]{2} ( r0* r2 [\u{4E00}-\u{9FFF}] )+ nl @indent ( "b" t0 nl )+ @dedent ;
r1 = ~ r3 "++"i+ [\u{4E00}-\u{9FFF}]+ nl @indent ( "b" r2 nl )+ @dedent | r2{1,3} [a-c]+ nl ;
r2 = "-"i ( ")"{0,300} nl | @0 ( "0"{1,3} ){2} [\-+*/] ( r3+ | r0 [\-+*/] nl | r0 r1 r2 nl ) ){1,3} ~ ")"i{0,300} | "+"i r0 [0-9]+ ;
r3 = [\u{E0}-\u{17F}]+ ( [\-+*/] ~ "++" r0 nl @indent ( "b" t0 nl )+ @dedent | ~ r0? | r0{2} ) t0 | [\u{E0}-\u{17F}] "-"i nl @indent ( "b" "/" nl )+ @dedent ;"#;
    for (rules, text) in [
        ("@start s = \"x\" nl ;", "x \n"),
        ("@start s = t0 nl ;", "[] \n"),
        ("@start s = t1* t0{2} nl ;", "[] [] \n"),
        ("@start s = t1* t0{2} nl ;", "[] []\n"),
        (
            "@start s = t1* t0{2} nl @indent ( \"b\" \"-\" nl )+ @dedent ;",
            "[] [] \n    b- \n",
        ),
        (
            "@start s = t1* t0{2} nl @indent ( \"b\" \"-\" nl )+ @dedent ;",
            "[][]\n    b-\n",
        ),
        (full, "[] [] \n    b-0 0*à[] \n"),
        (full, "[] []\n    b-0 0*à[]\n"),
        (full, "[] []\n    b-\n\n"),
        (full, "[] []\n    b-\n"),
        (full, "[] []\n    b-0 0*à[]\n"),
        (full, "[] []\n    b-0 0*à[] \n"),
        (full, "[] [] \n    b-0 0*à[]\n"),
        (full, "[] []\n    b-00*à[]\n"),
        (full, "[] []\n    b-0 0 *à []\n"),
        (full, "[] []\n    b - 0 0 * à []\n"),
    ] {
        let source = format!("{head}{rules}");
        let grammar = Grammar::read("g", source.as_bytes()).unwrap_or_else(|r| panic!("{r}"));
        let result = Parser::new(&grammar)
            .parse(text.as_bytes())
            .map(|_| ())
            .map_err(|e| e.to_string());
        eprintln!("{:?} {text:?}: {result:?}", &rules[..20]);
    }
}
