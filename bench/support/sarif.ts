const RULES = 200;
const FILES = 3_000;

/**
 * A SARIF report of distinct findings, 600 bytes each, as CodeQL writes them.
 * @param run its findings differ from those of other runs
 */
export function sarifOf(findings: number, run: string): string {
  const rules = Array.from({ length: RULES }, (_, i) => ({
    id: `js/rule-${i}`,
    name: `Rule${i}`,
    shortDescription: { text: `Rule ${i} finds a problem` },
    fullDescription: { text: `Rule ${i} finds a problem that attackers can use. `.repeat(4) },
    helpUri: `https://example.com/rules/${i}`,
    properties: { tags: ['security', 'external/cwe/cwe-89'], 'security-severity': '8.1' },
  }));
  const results = Array.from({ length: findings }, (_, i) => ({
    ruleId: `js/rule-${i % RULES}`,
    ruleIndex: i % RULES,
    level: 'error',
    message: { text: `User input in parameter p${i} reaches the query without being escaped. `.repeat(3) },
    locations: [
      {
        physicalLocation: {
          artifactLocation: { uri: `src/${run}/module-${i % 500}/file-${i % FILES}.ts` },
          region: {
            ...{ startLine: (i % 900) + 1, startColumn: 5, endColumn: 40 },
            snippet: {
              text: `const rows = await db.query("select * from t where id = " + req.query.p${i});`,
            },
          },
        },
      },
    ],
    partialFingerprints: { primaryLocationLineHash: `${i.toString(16)}${run}:1` },
  }));
  return JSON.stringify({
    $schema: 'https://json.schemastore.org/sarif-2.1.0.json',
    version: '2.1.0',
    runs: [{ tool: { driver: { name: 'CodeQL', version: '2.20', rules } }, results }],
  });
}
