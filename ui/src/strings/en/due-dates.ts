import { plural } from './language.ts';

export const dueDates = 'Due dates';
export const purpose = 'Days after which findings of each severity are due. Projects can set their own.';
export const purposeAndEffect =
  'Days after which findings of each severity are due. Projects can set their own. Changes apply to findings that are found, or regress, from now on. Existing findings keep their due dates.';
export const projectPurposeAndEffect =
  'Days after which findings of this project are due. Changes apply to findings that are found, or regress, from now on. Existing findings keep their due dates.';
export const saved = 'The due dates are saved.';
export const noDueDate = 'No due date';
/** In a sentence or after a colon. */
export const never = 'no due date';
export const days = (count: number) => plural(count, { one: '# day', other: '# days' });
export const daysOf = (severity: string, days: string) => `${severity}: ${days}`;
export const dueDateOf = (severity: string) => `${severity}: due date`;
export const ownDaysOf = (severity: string) => `${severity}: days`;
export const ofOrganization = (days: string) => `Organization: ${days}`;
export const ownDays = 'Own days';
