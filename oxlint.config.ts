// The rules of lint. `FLOORS` and `ROOMS` list who may import whom, and the overrides are made from these two. A test compares
// the picture in docs/architecture.md with `FLOORS`. Bun runs this file, because Node 20 reads no TypeScript.
import { readdirSync } from 'node:fs';
import { defineConfig, type OxlintOverride } from 'oxlint';

/** The wings from the ground up: each imports itself and what stands below it. */
export const FLOORS = [
  'contract',
  'server/platform',
  'server/models',
  'server/money',
  'server/relay',
  'server/suppliers',
  'server/admin',
  'server/operating',
  'server/app',
  'server/cli',
] as const;

/** The rooms of the relay in the order of a call: each imports itself and those before it. */
const RELAY_ROOMS = [
  'errors',
  'request',
  'caller',
  'channel-choice',
  'conversations',
  'upstream-body',
  'money',
  'virtual-models',
  'call',
  'answer',
  'answer-cache',
  'pipeline',
  'shadow-calls',
  'entry',
  'realtime',
  'listings',
  'routes',
  'media',
  'tasks',
];

const below = (wing: (typeof FLOORS)[number]): readonly string[] => FLOORS.slice(0, FLOORS.indexOf(wing));
const foldersOf = (parent: string): string[] =>
  readdirSync(new URL(`${parent}/`, import.meta.url), { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => `${parent}/${name}`);

const relayRooms = RELAY_ROOMS.map((room, place) => [
  `server/relay/${room}`,
  [...RELAY_ROOMS.slice(0, place).map((earlier) => `server/relay/${earlier}`), ...below('server/relay')],
]);
/** A noun of the admin API knows no other noun, only the files beside their folders. */
const nouns = foldersOf('server/admin').map((noun) => [
  noun,
  ['server/admin/*.ts', ...below('server/admin')],
]);
const features = foldersOf('web/features').map((feature) => [
  feature,
  ['contract', 'web/ui', 'web/i18n', 'web/api', 'web/api.ts'],
]);

/** Folder → what it may import besides itself; narrower than its wing. */
const ROOMS: Record<string, readonly string[]> = {
  'server/platform/store': ['contract/time.ts'],
  'server/platform/egress': ['contract'],
  'server/platform/overload': ['contract'],
  'server/platform/settings': ['contract', 'server/platform/store'],
  // Formats and providers know no database, clock or log.
  'server/models': ['contract'],
  'server/models/formats': [],
  'server/models/providers': ['contract', 'server/models/formats'],
  ...Object.fromEntries(relayRooms),
  ...Object.fromEntries(nouns),
  'server/admin/http': ['server/admin', ...below('server/admin')],
  // The pages of the server have the console's colours.
  'server/admin/public-pages': ['server/admin/*.ts', ...below('server/admin'), 'web/ui/theme/tokens.css'],
  'web/ui': ['contract', 'web/i18n'],
  'web/i18n': ['contract'],
  ...Object.fromEntries(features),
};

const fromTheRoot = {
  group: ['../**'],
  message: 'Outside its own folder a file is named from the root: #contract/…, #server/…, #web/…',
};
const pattern = (place: string): string => (/\.(ts|css)$/.test(place) ? `!#${place}` : `!#${place}/**`);
const mayImport = (folder: string, others: readonly string[]): OxlintOverride => ({
  files: [`${folder}/**`],
  rules: {
    'no-restricted-imports': [
      'error',
      {
        patterns: [
          {
            group: [
              '#contract/**',
              '#server/**',
              '#web/**',
              '#tests/**',
              '#mock/**',
              '#demo/**',
              ...[folder, ...others].map(pattern),
            ],
            message: `${folder} may import only itself${others.length > 0 ? ` and ${others.join(', ')}` : ''} (docs/architecture.md).`,
          },
          fromTheRoot,
        ],
      },
    ],
  },
});

/** Longer than 80 lines, each for a reason. */
const LONG_FUNCTIONS = [
  // Plain lists: queries, and the order in which the parts are joined.
  'server/app/app.ts',
  'server/money/ledger/sqlite/queries.ts',
  'server/platform/jobs/rows.ts',
  'server/relay/media/rows.ts',
  'server/relay/tasks/rows.ts',
  // State machines: many short functions around variables that nothing else may touch.
  'server/money/ledger/spool.ts',
  'server/money/ledger/postgres/node-slices.ts',
  'server/money/ledger/postgres/writer.ts',
  'server/platform/jobs/scheduler.ts',
  'server/platform/store/postgres/changes.ts',
  'server/platform/store/sqlite/writer.ts',
  'server/platform/store/sqlite/writer-thread.ts',
  // Servers that play a provider: their routes share one state.
  'mock/logins/oidc.ts',
  'mock/payments/*.ts',
  'mock/upstream/batches/*.ts',
  'mock/upstream/*/server.ts',
];

export default defineConfig({
  plugins: ['typescript', 'unicorn', 'oxc', 'import', 'react'],
  categories: { correctness: 'error', suspicious: 'error' },
  options: { typeAware: true },
  ignorePatterns: ['/dist/**', '/data/**', '/data-demo/**'],
  rules: {
    'max-lines': ['error', { max: 300, skipBlankLines: false, skipComments: false }],
    'max-params': ['error', { max: 5 }],
    'typescript/no-floating-promises': 'error',
    'typescript/no-misused-promises': 'error',
    'typescript/switch-exhaustiveness-check': ['error', { considerDefaultExhaustiveForUnions: true }],
    'typescript/no-explicit-any': 'error',
    'no-console': 'error',
    'import/no-cycle': ['error', { ignoreTypes: false }],
    'react/react-in-jsx-scope': 'off',
    'import/no-unassigned-import': 'off',
    'no-shadow': 'off',
    'no-await-in-loop': 'off',
    'no-underscore-dangle': 'off',
    'unicorn/no-array-sort': 'off',
    'unicorn/consistent-function-scoping': 'off',
    'typescript/no-unsafe-type-assertion': 'off',
    'typescript/no-unnecessary-type-parameters': 'off',
    'import/max-dependencies': 'off',
    'no-restricted-imports': ['error', { patterns: [fromTheRoot] }],
    'typescript/require-array-sort-compare': 'off',
  },
  overrides: [
    ...FLOORS.map((wing) => mayImport(wing, below(wing))),
    ...Object.entries(ROOMS).map(([folder, others]) => mayImport(folder, others)),
    {
      files: ['server/**', 'contract/**', 'mock/**', 'demo/**', 'scripts/**'],
      excludeFiles: ['**/*.test.*', ...LONG_FUNCTIONS],
      rules: { 'max-lines-per-function': ['error', { max: 80, skipBlankLines: true, skipComments: true }] },
    },
    {
      files: ['**/*.test.ts', '**/*.test.tsx', 'tests/**', 'mock/**'],
      rules: { 'max-lines': ['error', { max: 600 }], 'no-restricted-imports': 'off' },
    },
    // The console: what branches more is split into named components and hooks. Markup is long without being hard to read,
    // so the limit of lines is for files without it.
    { files: ['web/**'], rules: { complexity: ['error', { max: 20 }] } },
    { files: ['web/**/*.ts'], rules: { 'max-lines-per-function': ['error', { max: 80 }] } },
    { files: ['web/**/*.test.ts'], rules: { 'max-lines-per-function': 'off' } },
    // Pages of the server are written once: nothing compares two lists of elements.
    { files: ['server/**/*.tsx'], rules: { 'react/jsx-key': 'off' } },
    { files: ['packages/**'], rules: { 'no-restricted-imports': 'off', 'no-console': 'off' } },
    {
      files: ['scripts/**', 'tests/bench/**', 'tests/e2e/lighthouse.ts', 'server/cli/**', 'demo/main.ts'],
      rules: { 'no-console': 'off' },
    },
  ],
});
