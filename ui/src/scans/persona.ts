import * as text from '#strings/scans/names.ts';
import type { components } from '../../../lib/client/schema.ts';

type Persona = components['schemas']['Scan']['persona'];

/** The kind of scan of each persona. */
export const PERSONA_NAMES: Record<Persona, string> = text.personaNames;

/** The kinds in a sentence. */
export const PERSONAS_IN_SENTENCE: Record<Persona, string> = text.personasInSentence;
