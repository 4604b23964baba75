import { type ExportedFinding, resultOf, ruleIdOf, ruleOf, scoreOf } from './result.ts';
import { SARIF_SCHEMA, TOOL } from './schema.ts';

/** The most rules, which are held in memory while results are streamed. Further rules are named by their results only. */
const MAX_RULES = 5_000;

/** Rows of findings in JSON as a SARIF log of one run, whose rules come behind the results that they are of. */
export function sarifFormat() {
  const decoder = new TextDecoder();
  const highestScores = new Map<string, number>();
  return {
    type: 'application/sarif+json',
    head: `{"$schema":"${SARIF_SCHEMA}","version":"2.1.0","runs":[{"results":[`,
    separator: ',\n',
    row(json: Uint8Array) {
      const finding: ExportedFinding = JSON.parse(decoder.decode(json));
      const rule = ruleIdOf(finding);
      const known = highestScores.get(rule);
      if (known !== undefined || highestScores.size < MAX_RULES)
        highestScores.set(rule, Math.max(known ?? 0, scoreOf(finding)));
      return JSON.stringify(resultOf(finding));
    },
    tail() {
      const rules = [...highestScores].map(([id, score]) => ruleOf(id, score));
      return `],"tool":{"driver":${JSON.stringify({ name: TOOL, rules })}}}]}`;
    },
  };
}
