import type { Rolldown } from 'vite';

type Groups = Extract<Rolldown.OutputOptions['codeSplitting'], object>['groups'];

/** The page that most users open first, often. Its files contain little that it does not use. */
const FIRST_PAGE = '/ui/src/findings/list/Findings.tsx';

/** Small libraries that most pages use. */
const COMMON = '@mantine/(?:core|hooks)|@tanstack|@floating-ui|react-remove-scroll';
/** Modules of these libraries that the first page uses. */
const FIRST_LIBRARIES =
  '@mantine/hooks/esm/(?!use-(?:click-outside|debounced-value|focus-|long-press|mutation-observer|shallow-effect|timeout))[^/]+|@tanstack|@mantine/core/esm/(?:core/(?:MantineProvider|styles-api|utils/create-safe-context)|utils/In)[^/]*';
const FIRST_COMPONENTS =
  'Checkbox|Combobox/(?:ComboboxChevron|get-parsed-combobox-data|Combobox\\.module\\.mjs)|Indicator|Input|InputBase|NativeSelect|Progress|Skeleton|Switch|TextInput|ThemeIcon';
/** Modules that most pages do not use: menus, selects and tooltips, which are loaded after the page, and parts of forms and tables. */
const LATE_LIBRARIES =
  '@floating-ui|react-remove-scroll|@mantine/form|klona|fast-deep-equal|react-number-format';
const LATE_COMPONENTS =
  'Accordion|Code|Combobox|CopyButton|DataList|Floating|FocusTrap|Grid|List|Menu|Modal|ModalBase|MultiSelect|NativeSelect|NumberInput|PasswordInput|Pill|PillsInput|PinInput|Popover|Radio|ScrollArea|SegmentedControl|Select|Table|Tabs|TagsInput|Textarea|Tooltip|Typography';

const modules = (pattern: string) => new RegExp(`node_modules/(?:${pattern})(?:/|$)`);

/** Modules that pages share, in a file for each set of pages. Small sets are merged with similar ones of the same group. */
const perPages = { minShareCount: 2, entriesAware: true, entriesAwareMergeThreshold: 20_000 } as const;
const withoutDependencies = { includeDependenciesRecursively: false } as const;

/**
 * How modules are divided into files. Each file costs about 1 kB of headers and a place in the queue of a slow connection, so
 * small ones are merged. Merging makes pages load more than they use, so modules are merged only with others of their group.
 */
export const groups: Groups = [
  { name: 'base', tags: ['$initial'] },
  // A single file, which imports nothing but the base.
  { name: firstPage(), debugName: 'first', minShareCount: 2, ...withoutDependencies },
  // Shared files may import each other, so that a module runs before one that it imports. Texts import nothing but texts, and
  // tables of many modules need them when they load.
  {
    name: 'texts',
    test: /\/ui\/src\/strings\//,
    ...perPages,
    entriesAwareMergeThreshold: 3_000,
    ...withoutDependencies,
  },
  {
    name: 'late',
    test: modules(`${LATE_LIBRARIES}|@mantine/core/esm/components/(?:${LATE_COMPONENTS})`),
    ...perPages,
    ...withoutDependencies,
  },
  // Other libraries, such as charts and Markdown, are large and never merged.
  {
    name: 'large',
    test: new RegExp(`node_modules/(?!${COMMON})`),
    ...perPages,
    entriesAwareMergeThreshold: 0,
  },
  { name: 'common', test: /node_modules/, ...perPages, ...withoutDependencies },
  { name: 'shared', ...perPages, ...withoutDependencies },
];

/** Names the modules that the first page imports, directly or not. */
function firstPage() {
  const known = new Map<string, boolean>();
  const isImported = (id: string, context: Rolldown.ChunkingContext): boolean => {
    const before = known.get(id);
    if (before !== undefined) return before;
    known.set(id, id.endsWith(FIRST_PAGE));
    const importers = context.getModuleInfo(id)?.importers ?? [];
    const result = id.endsWith(FIRST_PAGE) || importers.some((importer) => isImported(importer, context));
    known.set(id, result);
    return result;
  };
  const libraries = modules(`${FIRST_LIBRARIES}|@mantine/core/esm/components/(?:${FIRST_COMPONENTS})`);
  return (id: string, context: Rolldown.ChunkingContext) =>
    (id.includes('/node_modules/') ? libraries.test(id) : isImported(id, context)) ? 'first' : null;
}
