/** What is wrong with an e-mail address, so far as it can be known here. */
export const emailProblem = (text: string): string | null =>
  /^\S+@\S+\.\S+$/.test(text.trim()) ? null : 'Enter an e-mail address';
