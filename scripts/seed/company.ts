import { type Project, project as projectOf, words } from '../../lib/demo/project.ts';
import { inInfrastructure } from '../../lib/demo/weaknesses.ts';

/** An online bookshop that is made up, and what its scanners look at. */
export const COMPANY = 'Lumen Books';

export const PEOPLE = [
  { name: 'Nora Lindqvist', role: 'owner' },
  { name: 'Tomás Rivera', role: 'admin' },
  { name: 'Mei Tanaka', role: 'member' },
  { name: 'Jonas Weber', role: 'member' },
  { name: 'Amara Okafor', role: 'viewer' },
] as const;

const TOPICS = {
  shop: 'cart checkout search product review wishlist voucher account address invoice newsletter session upload export report',
  money:
    'charge refund payout ledger webhook fraud currency invoice reconcile dispute mandate statement audit export limits',
  books:
    'index query suggest rank facet importer language author similar synonyms covers prices stock export',
  goods:
    'Shelf Order Picking Return Supplier Stock Pallet Label Route Carrier Count Batch Reservation Export Report',
};

const project = (code: Omit<Parameters<typeof projectOf>[0], 'domain'>): Project =>
  projectOf({ ...code, domain: 'lumen-books.example' });

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
