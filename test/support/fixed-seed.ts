import fc from "fast-check";

/** The short form finds the same things every time; the long form goes looking for new ones. */
if (process.env.KENNING_TEST_LONG !== "1") fc.configureGlobal({ seed: 8_319 });
