import { type ExportedFinding, resultOf, ruleIdOf, ruleOf, type SummedRule, scoreOf } from './result.ts';
import { SARIF_SCHEMA, TOOL } from './schema.ts';

/** The most rules, which are held in memory while results are streamed. Further rules are named by their results only. */
const MAX_RULES = 5_000;

/** Rows of findings in JSON as a SARIF log of one run, whose rules come behind the results that they are of. */
export function sarifFormat() {
  const decoder = new TextDecoder();
  const summed = new Map<string, SummedRule>();
  return {
    type: 'application/sarif+json',
    head: `{"$schema":"${SARIF_SCHEMA}","version":"2.1.0","runs":[{"results":[`,
    separator: ',\n',
    row(json: Uint8Array) {
      const finding: ExportedFinding = JSON.parse(decoder.decode(json));
      const rule = ruleIdOf(finding);
      const { score = 0, weakness = finding.cve ?? finding.cwe } = summed.get(rule) ?? {};
      if (summed.has(rule) || summed.size < MAX_RULES)
        summed.set(rule, { score: Math.max(score, scoreOf(finding)), weakness });
      return JSON.stringify(resultOf(finding));
    },
    tail() {
      const rules = [...summed].map(([id, rule]) => ruleOf(id, rule));
      return `],"tool":{"driver":${JSON.stringify({ name: TOOL, rules })}}}]}`;
    },
  };
}
