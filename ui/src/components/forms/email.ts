/** The error of an e-mail address. */
export const emailProblem = (text: string): string | null =>
  /^\S+@\S+\.\S+$/.test(text.trim()) ? null : 'Enter a valid e-mail address';
