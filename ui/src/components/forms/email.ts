import * as text from '#strings/components/forms.ts';
/** The error of an e-mail address. */
export const emailProblem = (address: string): string | null =>
  /^\S+@\S+\.\S+$/.test(address.trim()) ? null : text.invalidEmail;
