// Loaded before a program with `--import`: its clock starts at CLOCK_START, in ms since 1970, and stands still if CLOCK_STANDS is set.
const start = Number(process.env.CLOCK_START);
const { now } = Date;
const began = now();

Date.now = process.env.CLOCK_STANDS ? () => start : () => start + now() - began;
globalThis.Date = new Proxy(Date, {
  construct: (real, given, made) => Reflect.construct(real, given.length > 0 ? given : [real.now()], made),
});
