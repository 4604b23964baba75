import { z } from 'zod';
import { number, text, texts } from '../read/schema.ts';
import { type Cvss, cvssOf } from '../support.ts';

/** A CVE of an issue of JFrog Xray. */
export const Cve = z.object({
  cve: text,
  cwe: texts,
  cvss_v3: text,
  cvss_v3_score: number,
  cvss_v3_vector: text,
  cvss_v2: text,
  cvss_v2_score: number,
  cvss_v2_vector: text,
});

/** The parts of a component's id, such as `rpm://8:libX11:0:1.6.8`, `deb://debian:stretch:libx11:2:1.6.4`, `alpine://3.18:ssl:1.1`, `npm://ip:2.0.0`, `lib-1.0.jar` */
export function componentOf(id: string): { type?: string; name: string; version?: string | undefined } {
  const [, type, rest = id] = /^([a-z]+):\/\/(.*)$/is.exec(id) ?? [];
  // Longer ids are no coordinates. They would also be slow to match.
  if (rest.length > MAX_ID) return { ...(type && { type }), name: rest };
  const named = (match: RegExpExecArray | null) =>
    match?.[1] ? { ...(type && { type }), name: match[1], version: match[2] } : undefined;
  return (
    (type === 'rpm' && named(/^(?:[^:]*:)?([^:]+):(\d+:[^:]+)$/.exec(rest))) ||
    (type === 'deb' && named(/^[^:]+:[^:]+:([^:]+):(.+)$/.exec(rest))) ||
    (/^(?:alpine:\/\/)?v?\d+\.\d+:/.test(id) && named(/^v?[\d.]+:([^:]+):(.+)$/.exec(rest))) ||
    named(/^(.+):([^:/]*\d[^:/]*)$/.exec(rest)) ||
    named(/^([^/]+?)-(\d+\.[\w.-]*?)\.\w+$/.exec(rest)) || { ...(type && { type }), name: rest }
  );
}

export const MAX_ID = 300;
export const MAX_PLACES = 50;

/** The highest score of several CVEs. */
export function bestCvss(cves: z.output<typeof Cve>[]): Partial<Cvss> | undefined {
  const scored = cves.map((one): Partial<Cvss> => {
    const cvss =
      cvssOf(one.cvss_v3_vector) ?? cvssOf(one.cvss_v3) ?? cvssOf(one.cvss_v2_vector) ?? cvssOf(one.cvss_v2);
    const leading = Number.parseFloat(one.cvss_v3 ?? one.cvss_v2 ?? '');
    const score =
      one.cvss_v3_score ??
      cvss?.score ??
      one.cvss_v2_score ??
      (Number.isFinite(leading) ? leading : undefined);
    return { score, vector: cvss?.vector };
  });
  return scored.sort((a, b) => (b.score ?? -1) - (a.score ?? -1))[0];
}
