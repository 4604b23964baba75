import type { Schemas } from '../app/api.ts';

type Persona = Schemas['Scan']['persona'];

/** What each persona of a scan looks at. */
export const PERSONA_NAMES: Record<Persona, string> = {
  sharingan: 'Full audit',
  senku: 'Dependencies',
  killua: 'Penetration test',
};
