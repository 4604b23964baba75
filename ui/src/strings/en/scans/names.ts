/** The kind of scan of each persona. */
export const personaNames = {
  sharingan: 'Full audit',
  senku: 'Dependencies',
  killua: 'Penetration test',
};
/** The kinds in a sentence. */
export const personasInSentence = {
  sharingan: 'full audit',
  senku: 'dependencies',
  killua: 'penetration test',
};
/** The name of a scan that is not loaded or was deleted. */
export const aScan = 'a scan';
/** The name of a scan without one. */
export const generatedName = (persona: string, time: string) => `${persona}, ${time}`;
