import type { RealScanner } from './scanner.ts';

const ruleOf = (name: string, port: number, source: string) => `resource "aws_security_group" "${name}" {
  description = "The ${name}"
  ingress {
    description = "Administration"
    from_port   = ${port}
    to_port     = ${port}
    protocol    = "tcp"
    cidr_blocks = ["${source}"]
  }
}
`;

const CHECKOV = [
  ...['-d', 'infra', '--framework', 'terraform', '--check', 'CKV_AWS_24,CKV_AWS_25', '--skip-download'],
  ...['--quiet', '--compact', '-o'],
];

export const checkov: RealScanner = {
  program: 'checkov',
  args: [...CHECKOV, 'json'],
  code: { 'infra/main.tf': ruleOf('web', 22, '0.0.0.0/0') + ruleOf('desktop', 3389, '0.0.0.0/0') },
  found: [
    { title: /^CKV_AWS_24:.* port 22/, severity: 'medium', file: 'infra/main.tf', line: 1 },
    { title: /^CKV_AWS_25:.* port 3389/, severity: 'medium', file: 'infra/main.tf', line: 11 },
  ],
  clean: { 'infra/main.tf': ruleOf('web', 22, '10.0.0.0/8') },
  edited: { 'infra/main.tf': ruleOf('batch', 22, '0.0.0.0/0') + ruleOf('desktop', 3389, '0.0.0.0/0') },
  added: { title: /^CKV_AWS_24/, severity: 'medium', file: 'infra/main.tf', line: 1 },
  others: [
    { name: 'SARIF', args: [...CHECKOV, 'sarif', '--output-file-path', '.'], report: 'results_sarif.sarif' },
  ],
  failures: [
    {
      of: 'a missing target',
      args: ['-d', 'no', '--skip-download', '-o', 'json'],
      message: /checkov wrote no report .*0\)/,
    },
    {
      of: 'an invalid option',
      args: [...CHECKOV, 'json', '--nonsense'],
      message: /checkov wrote no report .*2\)/,
    },
    {
      of: 'a missing configuration',
      args: [...CHECKOV, 'json', '--config-file', 'no.yml'],
      message: /checkov wrote no report .*2\)/,
    },
    {
      of: 'a file that cannot be parsed, in SARIF',
      args: [...CHECKOV, 'sarif', '--output-file-path', '.'],
      report: 'results_sarif.sarif',
      files: { 'infra/broken.tf': 'resource "aws_s3_bucket" {{{\n' },
      findings: 2,
      message: /^checkov failed: some files cannot be parsed/,
    },
    {
      of: 'a file that cannot be parsed',
      files: { 'infra/broken.tf': 'resource "aws_s3_bucket" {{{\n' },
      findings: 2,
      message: /A file was not checked: it cannot be parsed \(terraform\)/,
    },
  ],
};
