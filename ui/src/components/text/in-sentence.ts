/** Marks that change the direction of the text that follows. */
const DIRECTIONS = /[\u202a-\u202e\u2066-\u2069]/g;

/** A value of findings or members in a sentence, which it must not turn around. */
export const inSentence = (value: string): string => value.replace(DIRECTIONS, '\ufffd');
