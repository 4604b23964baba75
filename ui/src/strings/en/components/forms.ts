import { list, number } from '../language.ts';

export const save = 'Save';
export const sections = 'Sections';
export const allSaved = 'No unsaved changes';
/** @param titles of sections */
export const unsaved = (titles: readonly string[]) => `Not saved yet: ${list(titles)}`;
export const discard = 'Discard changes';
export const leaveWithoutSaving = 'Leave without saving?';
/** @param titles of sections */
export const changesAreLost = (titles: readonly string[]) => `Your changes are lost: ${list(titles)}.`;
export const leave = 'Leave without saving';
export const stay = 'Stay on this page';
export const whoMayChange = (roles: string) => `Only ${roles} can change this.`;
/** After the number in a field. */
export const daysSuffix = ' days';
export const enterDays = (max: number) => `Enter a whole number from 1 to ${number(max)}`;
export const digitOfCode = (position: number) => `Digit ${number(position)} of 6`;
export const hidePassword = 'Hide password';
export const showPassword = 'Show password';
export const weakPassword = 'Your password is weak';
export const invalidEmail = 'Enter a valid e-mail address';

export const passwordLength = '8 to 256 characters';
export const uppercaseLetter = 'An uppercase letter';
export const lowercaseLetter = 'A lowercase letter';
export const digit = 'A digit';
/** For screen readers, after a requirement. */
export const met = '(met)';
export const notMet = '(not met)';
export const requirementsNotMet = 'The password does not meet all requirements';

export const name = 'Name';
export const enterName = 'Enter a name';
export const nameSaved = 'The name is saved.';
export const slug = 'Slug';
export const slugSaved = 'The slug is saved.';
export const slugTooShort = 'Enter at least 3 characters';
export const slugTooLong = 'Enter at most 50 characters';
export const slugCharacters = 'Use only lowercase letters (a to z), digits and hyphens';
export const slugHyphens = 'A slug cannot start or end with a hyphen';
export const slugIsReserved = (slug: string) => `“${slug}” is reserved`;
