//! The macros that expand to code with the crate `proptest` of the user.

/// Marks a strategy of proptest, so that mutation can replace its values as a whole.
///
/// The result is a strategy with the same values. Mark the recursion of a recursive strategy, and the
/// elements of collections. The macro expands to code that uses the crate `proptest` of the caller.
/// Outside of a fuzz target of zester the mark has no effect.
///
/// # Examples
///
/// ```
/// use proptest::prelude::*;
///
/// # #[derive(Clone, Debug)]
/// # enum Expr { Number(i8), Add(Box<Expr>, Box<Expr>) }
/// fn expression() -> impl Strategy<Value = Expr> {
///     any::<i8>().prop_map(Expr::Number).prop_recursive(4, 32, 2, |inner| {
///         let inner = zester::region!(inner);
///         (inner.clone(), inner).prop_map(|(left, right)| Expr::Add(left.into(), right.into()))
///     })
/// }
/// # drop(expression());
/// ```
#[macro_export]
macro_rules! region {
    ($strategy:expr) => {{
        #[derive(Clone, Debug)]
        struct __ZesterRegion<S>(S);

        impl<S: ::proptest::strategy::Strategy> ::proptest::strategy::Strategy for __ZesterRegion<S> {
            type Tree = S::Tree;
            type Value = S::Value;

            fn new_tree(&self, runner: &mut ::proptest::test_runner::TestRunner) -> ::proptest::strategy::NewTree<Self> {
                let fill = |rng: &mut ::proptest::test_runner::TestRng, bytes: &mut [u8]| {
                    ::proptest::prelude::RngCore::fill_bytes(rng, bytes)
                };
                $crate::generator::strategy::enter(runner.rng(), ::core::any::type_name::<S::Value>(), fill);
                let tree = self.0.new_tree(runner);
                $crate::generator::strategy::leave(runner.rng(), fill);
                tree
            }
        }

        __ZesterRegion($strategy)
    }};
}

/// Draws a value of a strategy, for [`fuzz_target!`](crate::fuzz_target!): defines a function that
/// takes bytes and returns [`None`] if the strategy rejects them. The strategy is made once in a
/// thread.
#[doc(hidden)]
#[macro_export]
macro_rules! __zester_strategy {
    ($name:ident, $strategy:expr, $type:ty) => {
        fn $name(bytes: &[u8]) -> ::core::option::Option<$type> {
            use ::proptest::strategy::{Strategy as _, ValueTree as _};
            use ::proptest::test_runner::{Config, FailurePersistence, RngAlgorithm, TestRng, TestRunner};
            use $crate::generator::strategy::{Source, draw, split};
            type Draw = ::std::boxed::Box<dyn ::core::ops::Fn(&mut TestRunner) -> ::core::option::Option<$type>>;

            /// A part of the configuration that proptest clones when it divides the bytes.
            #[derive(Debug)]
            struct Splits;

            impl FailurePersistence for Splits {
                fn box_clone(&self) -> ::std::boxed::Box<dyn FailurePersistence> {
                    split();
                    ::std::boxed::Box::new(Splits)
                }

                fn eq(&self, other: &dyn FailurePersistence) -> bool {
                    other.as_any().is::<Splits>()
                }

                fn as_any(&self) -> &dyn ::core::any::Any {
                    self
                }
            }

            ::std::thread_local! {
                static LARGEST: ::core::cell::Cell<usize> = const { ::core::cell::Cell::new(0) };
                static DRAW: Draw = {
                    let strategy = $strategy;
                    ::std::boxed::Box::new(move |runner| strategy.new_tree(runner).ok().map(|tree| tree.current()))
                };
            }

            let rng = |source: Source, bytes: &[u8]| {
                let algorithm = match source {
                    Source::Bytes => RngAlgorithm::PassThrough,
                    Source::Seed => RngAlgorithm::ChaCha,
                    Source::Sample => RngAlgorithm::Recorder,
                };
                TestRng::from_seed(algorithm, bytes)
            };
            let value = |rng| {
                // After the end of the bytes, a filter may reject the same value again and again,
                // so the limit is low.
                let config = Config {
                    max_local_rejects: 64,
                    failure_persistence: ::core::option::Option::Some(::std::boxed::Box::new(Splits)),
                    ..Config::default()
                };
                let mut runner = TestRunner::new_with_rng(config, rng);
                let value = DRAW.with(|draw| draw(&mut runner));
                (value, runner.rng().clone())
            };
            LARGEST.with(|largest| draw(bytes, largest, rng, value, |rng| rng.bytes_used().len()))
        }
    };
}
