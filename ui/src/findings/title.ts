import * as text from '#strings/findings.ts';

/** A character that takes up space: no control or format character, space, lone accent, filler or blank Braille pattern. */
const VISIBLE = /[^\p{C}\p{Z}\p{M}\p{Default_Ignorable_Code_Point}\u2800]/u;

/** The title of a finding as text that can be seen and clicked. */
export const titleOf = (title: string): string => (VISIBLE.test(title) ? title : text.titleWithoutText);
