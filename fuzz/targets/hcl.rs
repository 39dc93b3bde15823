//! Fuzzes hcl-rs. A sentence is valid if it evaluates without an error. What is printed must be read as
//! the same value, and equivalent sentences must evaluate to the same.
#![no_main]

use std::sync::LazyLock;

use hcl::eval::{Context, Evaluate, FuncArgs, FuncDef, ParamType};
use hcl::{Body, Value};

static CONTEXT: LazyLock<Context<'static>> = LazyLock::new(|| {
    let mut context = Context::new();
    context.declare_var("n", 3);
    context.declare_var("s", "b");
    context.declare_var("t", true);
    context.declare_var("l", hcl::value!([1, 2, 3]));
    context.declare_var("o", hcl::value!({ a = 1, b = 2 }));
    let upper = |args: FuncArgs| Ok(Value::from(args[0].as_str().unwrap().to_uppercase()));
    let length = |args: FuncArgs| Ok(Value::from(args[0].as_array().unwrap().len()));
    let function = |of| FuncDef::builder().param(of);
    context.declare_func("upper", function(ParamType::String).build(upper));
    let list = ParamType::array_of(ParamType::Any);
    context.declare_func("length", function(list).build(length));
    context
});

zester::fuzz_target!(grammar: "../../grammars/hcl.ebnf", equal: true, |text: &str| -> Result<String, String> {
    let read = |text: &str| hcl::parse(text).map_err(|error| error.to_string());
    let body = zester::oracle::round_trip(text, read, |body| hcl::to_string(body).unwrap())?;
    let value: Body = body.evaluate(&CONTEXT).map_err(|error| error.to_string())?;
    Ok(hcl::to_string(&value).unwrap())
});
