/** The number of steps that an axis has at most. */
const STEPS = 4;
/** The steps of axes, times a power of ten. */
const NICE = [1, 2, 5, 10];

/** The marks of an axis of whole numbers from 0: at most {@link STEPS} equal steps of 1, 2 or 5 times a power of ten. */
export function axisTicks(most: number): number[] {
  const rough = Math.max(1, most / STEPS);
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = (NICE.find((one) => one * power >= rough) ?? 10) * power;
  const count = Math.max(1, Math.ceil(most / step));
  return Array.from({ length: count + 1 }, (_, i) => i * step);
}
