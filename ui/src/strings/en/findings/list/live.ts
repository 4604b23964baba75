import { plural } from '../../language.ts';

export const regressedFindings = (count: number) =>
  plural(count, { one: '# regressed finding', other: '# regressed findings' });
export const newFindings = (count: number) =>
  plural(count, { one: '# new finding', other: '# new findings' });
export const both = (regressed: number, added: number) =>
  `${regressedFindings(regressed)}, ${newFindings(added)}`;
export const hasChanged = 'The list has changed';
