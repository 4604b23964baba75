import type { Persona } from '../../agent/scan.ts';
import type { Finding } from '../../lib/importers/finding.ts';
import { type Ecosystem, vulnerabilities } from './vulnerabilities.ts';
import { atAddress, inInfrastructure, inSource, type Language, secretsIn } from './weaknesses.ts';

/** An online bookshop that is made up, and what its scanners look at. */
export const COMPANY = 'Lumen Books';

export const PEOPLE = [
  { name: 'Nora Lindqvist', role: 'owner' },
  { name: 'Tomás Rivera', role: 'admin' },
  { name: 'Mei Tanaka', role: 'member' },
  { name: 'Jonas Weber', role: 'member' },
  { name: 'Amara Okafor', role: 'viewer' },
] as const;

/** Scanners that run again and again over a project, and report together. */
export interface Schedule {
  name: string;
  persona: Persona;
  everyDays: number;
  /** Hours into a day, UTC. */
  hour: number;
  target: { type: string; url?: string; path?: string; ref?: string };
  /** All that a scanner may ever find, and which share of it is really there. */
  parts: { candidates: Finding[]; share: number }[];
}

export interface Project {
  name: string;
  /** When its scanners were set up. */
  startDay: number;
  schedules: Schedule[];
}

interface Code {
  name: string;
  startDay: number;
  language: Language;
  ecosystem: Ecosystem;
  /** Files of source: every topic in every directory. */
  directories: string[];
  topics: string[];
  extension: string;
  manifests: string[];
  images: string[];
  settings: string[];
  pages?: string[];
}

const TOPICS = {
  shop: 'cart checkout search product review wishlist voucher account address invoice newsletter session upload export report',
  money:
    'charge refund payout ledger webhook fraud currency invoice reconcile dispute mandate statement audit export limits',
  books:
    'index query suggest rank facet importer language author similar synonyms covers prices stock export',
  goods:
    'Shelf Order Picking Return Supplier Stock Pallet Label Route Carrier Count Batch Reservation Export Report',
};

const words = (text: string) => text.split(' ');

const project = (code: Code): Project => {
  const repository = `https://git.lumen-books.example/${code.name.toLowerCase().replaceAll(' ', '-')}`;
  const target = { type: 'repository', url: repository, ref: 'main' };
  const files = code.directories.flatMap((directory) =>
    code.topics.map((topic) => `${directory}/${topic}.${code.extension}`),
  );
  const scanner =
    code.ecosystem === 'npm' ? 'npm-audit' : code.ecosystem === 'go' ? 'govulncheck' : 'osv-scanner';
  return {
    name: code.name,
    startDay: code.startDay,
    schedules: [
      {
        name: 'Audit',
        persona: 'sharingan',
        everyDays: 7,
        hour: 2,
        target,
        parts: [
          { candidates: files.flatMap((file) => inSource(code.language, file)), share: 0.7 },
          { candidates: code.settings.flatMap(secretsIn), share: 0.3 },
        ],
      },
      {
        name: 'Dependencies',
        persona: 'senku',
        everyDays: 3,
        hour: 4,
        target,
        parts: [
          {
            candidates: code.manifests.flatMap((manifest) =>
              vulnerabilities(code.ecosystem, scanner, manifest),
            ),
            share: 0.75,
          },
          {
            candidates: code.images.flatMap((image) => vulnerabilities('debian', 'trivy', image)),
            share: 0.6,
          },
        ],
      },
      ...(code.pages ?? []).slice(0, 1).map(
        (first): Schedule => ({
          name: 'Penetration test',
          persona: 'killua',
          everyDays: 7,
          hour: 22,
          target: { type: 'web', url: new URL(first).origin },
          parts: [{ candidates: (code.pages ?? []).flatMap(atAddress), share: 0.35 }],
        }),
      ),
    ],
  };
};

const site = (host: string, paths: string) =>
  words(paths).map((path) => `https://${host}.lumen-books.example${path}`);

export const PROJECTS: Project[] = [
  project({
    name: 'Storefront',
    startDay: 0,
    language: 'typescript',
    ecosystem: 'npm',
    directories: words(
      'src/pages src/api src/components src/lib src/jobs apps/admin/src apps/mobile/src packages/ui/src',
    ),
    topics: words(TOPICS.shop),
    extension: 'ts',
    manifests: words(
      'package-lock.json apps/admin/package-lock.json apps/mobile/package-lock.json packages/ui/package-lock.json',
    ),
    images: words('storefront storefront-admin storefront-jobs'),
    settings: words('.env.staging src/lib/payment.ts apps/mobile/app.json ci/deploy.sh docs/setup.md'),
    pages: site(
      'www',
      '/ /search /cart /checkout /account /orders/1041 /books/9780000000017 /reviews /vouchers /newsletter',
    ),
  }),
  project({
    name: 'Payments',
    startDay: 4,
    language: 'go',
    ecosystem: 'go',
    directories: words(
      'cmd/payments internal/api internal/store internal/provider internal/worker internal/risk internal/report pkg/client',
    ),
    topics: words(TOPICS.money),
    extension: 'go',
    manifests: words('go.mod tools/go.mod'),
    images: words('payments payments-worker'),
    settings: words('config/local.yaml internal/provider/sandbox.go scripts/replay.sh'),
    pages: site('pay', '/ /cards /charges /refunds/77 /webhooks /status'),
  }),
  project({
    name: 'Catalog search',
    startDay: 11,
    language: 'python',
    ecosystem: 'pypi',
    directories: words(
      'search/api search/ranking search/ingest search/models search/tasks search/admin feeds notebooks',
    ),
    topics: words(TOPICS.books),
    extension: 'py',
    manifests: words('requirements.txt ingest/requirements.txt notebooks/requirements.txt'),
    images: words('search-api search-ingest search-notebooks'),
    settings: words('settings/dev.py notebooks/upload.ipynb ingest/feeds.yaml'),
  }),
  project({
    name: 'Warehouse',
    startDay: 19,
    language: 'java',
    ecosystem: 'maven',
    directories: words(
      'orders/src/main/java stock/src/main/java shipping/src/main/java labels/src/main/java returns/src/main/java customs/src/main/java',
    ),
    topics: words(TOPICS.goods),
    extension: 'java',
    manifests: words('pom.xml orders/pom.xml stock/pom.xml shipping/pom.xml'),
    images: words('warehouse-orders warehouse-stock warehouse-shipping'),
    settings: words('orders/src/main/resources/application.yml shipping/carrier.properties'),
  }),
  {
    name: 'Platform',
    startDay: 33,
    schedules: [
      {
        name: 'Audit',
        persona: 'sharingan',
        everyDays: 4,
        hour: 3,
        target: { type: 'repository', url: 'https://git.lumen-books.example/platform', ref: 'main' },
        parts: [
          {
            candidates: [
              ...words('network storage database queue cdn mail backup logs audit').map(
                (name) => `terraform/${name}.tf`,
              ),
              ...words('storefront payments search orders stock shipping gateway').map(
                (name) => `k8s/${name}.yaml`,
              ),
              ...words('storefront payments search warehouse').map((name) => `docker/${name}/Dockerfile`),
            ].flatMap(inInfrastructure),
            share: 0.7,
          },
        ],
      },
    ],
  },
];
