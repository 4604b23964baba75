import { describe, expect, it } from 'vitest';
import { importReport } from '../../../lib/importers/index.ts';
import { describeReport, type Expectation } from '../../support/importers/expectations.ts';
import { context, imported, own } from '../../support/importers/importers.ts';

const DIRECTORY = 'infrastructure/kubernetes/';

const REPORTS: Expectation[] = [
  {
    file: 'trivy-operator.json',
    format: 'trivy-operator',
    findings: [
      'critical CVE-2026-1001 in curl 7.87.0-r1: curl: HSTS is ignored',
      'low KSV014: Root file system is not read-only (shop/ReplicaSet/web-6d4cf56db6/app)',
      'critical Secret (AWS Secret Access Key) in root/aws.txt',
      'critical cis 4.2.10: TLS on kubelets',
    ],
    skipped: { 'resources of other kinds': 1, passed: 2, 'bills of materials': 1 },
    same: [
      ['"CRITICAL"', '"LOW"'],
      ['2026-01-01T00:00:00Z', '2026-02-01T00:00:00Z'],
      ['7.87.0-r1', '7.87.0-r0'],
      ['"tag": "1.4"', '"tag": "1.5"'],
      // A new ReplicaSet of the same deployment.
      ['web-6d4cf56db6', 'web-7f8b9c5d4f'],
      ['"totalFail": 10', '"totalFail": 3'],
    ],
    other: [
      ['"resource": "curl"', '"resource": "wget"'],
      ['resource.namespace": "shop"', 'resource.namespace": "blog"'],
      ['container.name": "app"', 'container.name": "sidecar"'],
      ['shop/web', 'shop/other'],
    ],
  },
  {
    file: 'kubescape.json',
    format: 'kubescape',
    findings: [
      'medium C-0016: Allow privilege escalation (shop/Deployment/web)',
      'high C-0057: Privileged container (shop/Deployment/web)',
    ],
    skipped: { passed: 1, 'accepted by exceptions': 1, skipped: 1 },
    same: [
      ['"scoreFactor": 6', '"scoreFactor": 9'],
      ['path=1/', 'path=2/'],
    ],
    other: [
      ['"controlID": "C-0016",\n          "name"', '"controlID": "C-0099",\n          "name"'],
      ['k8s/web.yaml', 'k8s/other.yaml'],
      ['"clusterName": "prod"', '"clusterName": "dev"'],
    ],
  },
  {
    file: 'kube-bench.json',
    format: 'kube-bench',
    findings: [
      'medium 4.1.1: Ensure that the kubelet file permissions are set to 644',
      'info 4.1.2: Ensure that the proxy is protected',
    ],
    skipped: { passed: 1, informational: 1 },
    same: [
      ['permissions=777', 'permissions=755'],
      // Another version of the benchmark numbers and marks the recommendations in another way.
      ['"4.1.1"', '"4.2.1"'],
      ['(Automated)', '(Scored)'],
    ],
    other: [
      ['kubelet file', 'proxy file'],
      ['"node_type": "node"', '"node_type": "master"'],
    ],
  },
  {
    file: 'kubeaudit.jsonl',
    format: 'kubeaudit',
    findings: [
      'high PrivilegedTrue: Privileged True (shop/Pod/web/app)',
      'high CapabilityAdded: Capability Added (shop/Pod/web/app)',
      'high CapabilityAdded: Capability Added (shop/Pod/web/app)',
      'medium LimitsNotSet: Limits Not Set (shop/Pod/web/app)',
    ],
    same: [
      ['"error"', '"warning"'],
      ['2026-01-01', '2026-01-02'],
    ],
    other: [
      ['"Container": "app"', '"Container": "sidecar"'],
      ['"ResourceNamespace": "shop"', '"ResourceNamespace": "blog"'],
    ],
  },
];

for (const report of REPORTS) describeReport({ ...report, file: DIRECTORY + report.file });

describe('trivy-operator', () => {
  const { items } = JSON.parse(own(`${DIRECTORY}trivy-operator.json`));

  it('reads one report, a list, and reports by their definitions', () => {
    const [vulnerability] = imported(JSON.stringify(items[0]));
    expect(imported(JSON.stringify([items[0], items[1]]))).toMatchObject([
      vulnerability,
      { severity: 'low' },
    ]);
    const named = { 'vulnerabilityreports.aquasecurity.github.io': [items[0]] };
    expect(imported(JSON.stringify(named))).toEqual([vulnerability]);
  });

  it('imports the checks of a detailed compliance report, rated by their control if they are not', () => {
    const results = [
      {
        id: '1.1.1',
        name: 'Control',
        severity: 'HIGH',
        checks: [
          { checkID: 'AVD-KSV-0001', title: 'One', severity: 'MEDIUM', success: false, target: 'a' },
          { checkID: 'AVD-KSV-0002', title: 'Two', severity: '', success: false, target: 'b' },
          { checkID: '', severity: '', success: true },
        ],
      },
    ];
    const report = { ...items[4], status: { detailReport: { results } } };
    expect(imported(JSON.stringify(report)).map(({ severity }) => severity)).toEqual(['medium', 'high']);
  });
});

describe('kubescape', () => {
  it('shows the fields to change', () => {
    const [finding] = imported(own(`${DIRECTORY}kubescape.json`));
    expect(finding).toMatchObject({ file: 'k8s/web.yaml' });
    expect(finding?.description).toContain(
      'spec.template.spec.containers[0].securityContext.allowPrivilegeEscalation: false',
    );
  });
});

describe('kube-bench', () => {
  it('reads one document per part of the benchmark', () => {
    const { Controls } = JSON.parse(own(`${DIRECTORY}kube-bench.json`));
    expect(imported(JSON.stringify(Controls))).toHaveLength(2);
    expect(imported(`${JSON.stringify(Controls[0])}\n${JSON.stringify(Controls[0])}`)).toHaveLength(2);
  });

  it.each([{ type: 'manual' }, { reason: 'Test marked as a manual test' }])(
    'skips manual checks: %o',
    (mark) => {
      const { Controls } = JSON.parse(own(`${DIRECTORY}kube-bench.json`));
      Object.assign(Controls[0].tests[0].results[1], mark);
      const { findings, skipped } = importReport(JSON.stringify(Controls), context);
      expect(findings).toMatchObject([{ severity: 'medium' }]);
      expect(skipped).toMatchObject({ 'need a manual check': 1 });
    },
  );
});
