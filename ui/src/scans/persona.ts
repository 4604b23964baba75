import type { Schemas } from '../app/api.ts';

type Persona = Schemas['Scan']['persona'];

/** The kind of scan of each persona. */
export const PERSONA_NAMES: Record<Persona, string> = {
  sharingan: 'Full audit',
  senku: 'Dependencies',
  killua: 'Penetration test',
};
