use zester::*;
fn main() {
    let path = std::env::args().nth(1).unwrap();
    let source = std::fs::read(&path).unwrap();
    match notation::read(&path, &source, &Default::default()) {
        Ok((g, r)) => {
            eprint!("{r}");
            eprintln!("{} symbols", g.symbols().len());
            let mut x = 88172645463325252u64;
            for _ in 0..10 {
                let bytes: Vec<u8> = (0..200).map(|_| { x ^= x << 13; x ^= x >> 7; x ^= x << 17; (x >> 20) as u8 }).collect();
                let d = parameters::sentence(&g, &Default::default(), &bytes);
                println!("{}", String::from_utf8_lossy(d.text()));
                let mut c = Vec::new();
                parameters::encode(&g, &d, &mut c);
                let e = parameters::sentence(&g, &Default::default(), &c);
                assert_eq!(d, e);
            }
        }
        Err(r) => eprint!("{r}"),
    }
}
