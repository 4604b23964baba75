import { TAG } from '../../language.ts';

const oneDecimal = new Intl.NumberFormat(TAG, { minimumFractionDigits: 1, maximumFractionDigits: 1 });
/** Such as "9.8". */
export const score = (value: number) => oneDecimal.format(value);

const ratings = { none: 'none', low: 'low', medium: 'medium', high: 'high', critical: 'critical' };
export const byVersion = (value: number | undefined, version: string, rating: keyof typeof ratings) => (
  <>
    {value !== undefined && <strong>{score(value)}</strong>} by CVSS {version}, {ratings[rating]}
  </>
);
export const vectorResultsIn = (value: number) => `Reported score. The vector results in ${score(value)}.`;
export const metrics = 'Metrics';
export const metricsOfVector = 'Metrics of the vector';
export const metric = (name: string, value: string) => (
  <>
    {name}: <strong>{value}</strong>
  </>
);
export const copyVector = 'Copy the vector';
export const notAVector = 'Not a CVSS 2.0, 3.0, 3.1 or 4.0 vector. Shown as reported.';
