import { REGION } from '#strings/language.ts';
import * as text from '#strings/scans/names.ts';

/** The name that the service gives a scan without one. */
const GENERATED = /^(sharingan|senku|killua) scan (\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z)$/;

const moment = (withYear: boolean) =>
  new Intl.DateTimeFormat(REGION, {
    day: 'numeric',
    month: 'short',
    ...(withYear && { year: 'numeric' }),
    hour: '2-digit',
    minute: '2-digit',
  });
const [short, long] = [moment(false), moment(true)];

/** The name of a scan. A generated one is shown as "Senku, 22 Nov 07:38", in the time zone of the user. */
export function scanName({ name }: { name: string }, now = new Date()): string {
  const [, ofPersona = '', time = ''] = GENERATED.exec(name) ?? [];
  const at = new Date(time);
  if (Number.isNaN(at.getTime())) return name;
  const format = at.getFullYear() === now.getFullYear() ? short : long;
  const persona = ofPersona.charAt(0).toUpperCase() + ofPersona.slice(1);
  return text.generatedName(persona, format.format(at).replace(', ', ' '));
}
