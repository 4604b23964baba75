import { collapseWhitespace } from '../support.ts';
import {
  bullets,
  escapeMarkdown,
  firstLines,
  formatLocation,
  inlineCode,
  joined,
  sanitizeMarkdown,
} from '../text/markdown.ts';
import type { Resolve } from './sarif-places.ts';
import type { MessageText } from './sarif-rules.ts';
import type { Location, Result, Rule } from './sarif-schema.ts';

interface Context {
  /** {@link placesOf} the result. */
  places: string[];
  resolve: Resolve;
  mask: (value: string) => string;
}

/** Replaces SARIF links: `[text](1)` refers to another location. Other brackets are escaped with a backslash. */
export const replaceLinks = (value: string, target: (text: string, link: string) => string) =>
  !/[[\\]/.test(value)
    ? value
    : value
        .replace(/(?<!\\)\[((?:\\.|[^[\]\\])*)\]\(([^()\s]+)\)/g, (_found, label, link) =>
          target(label, link),
        )
        .replace(/\\(?=[[\]\\])/g, '');

/** The problem, the fix and the documentation of a result. */
export function describeResult(result: Result, rule: Rule, message: MessageText, context: Context) {
  const { places, resolve, mask } = context;
  const linked = linkedLocations(result);
  const formatLink = (label: string, link: string) => {
    const place = formatPlace(linked.get(link), resolve);
    return /^\d+$/.test(link) ? `${label}${place ? ` (${place})` : ''}` : `${label} (${link})`;
  };
  const { help, fullDescription: full } = rule;
  const documentation = help?.markdown ? sanitizeMarkdown(help.markdown) : escapeMarkdown(help?.text ?? '');
  const repeats = (longer: string | undefined, part: string | undefined) =>
    collapseWhitespace(longer ?? '').includes(collapseWhitespace(part ?? ''));

  // Semgrep's documentation repeats the message in Markdown, so the message is omitted.
  const documented = help?.markdown && repeats(help.markdown, message.text);
  const what = documented
    ? mask(documentation)
    : message.markdown
      ? sanitizeMarkdown(mask(replaceLocationLinks(message.markdown, formatLink)))
      : escapeMarkdown(replaceLinks(mask(message.text), formatLink));
  return {
    what: joined(
      [what, repeats(`${message.text} ${help?.text}`, full?.text) ? '' : escapeMarkdown(full?.text ?? '')],
      '\n\n',
    ),
    where: describePlaces(places, mask),
    fix: result.fixes.map(({ description }) => escapeMarkdown(mask(description?.text ?? ''))).join('\n\n'),
    details: joined([describeFlows(result, context), describeRelated(result, message.text, context)], '\n\n'),
    help: documented || repeats(message.text, help?.markdown ?? help?.text) ? undefined : documentation,
  };
}

/** Replaces links to locations in Markdown. Snyk writes a list of them: `[flows](1),(2),(3)`. */
const replaceLocationLinks = (markdown: string, target: (text: string, link: string) => string) =>
  markdown.replace(/\[([^[\]]*)\]\((\d+)\)(?:,\(\d+\))*/g, (_found, label, link) => target(label, link));

const stepsOf = ({ codeFlows }: Result): Location[] =>
  (codeFlows[0]?.threadFlows[0]?.locations ?? [])
    .slice(0, MAX_READ)
    .flatMap(({ location }) => location ?? []);

/** The locations that a message refers to, by their ids. */
function linkedLocations(result: Result): Map<string, Location> {
  const candidates = [...stepsOf(result), ...result.relatedLocations];
  return new Map(
    candidates.flatMap((location) => (location.id === undefined ? [] : [[location.id, location]])),
  );
}

const MAX_LISTED = 30;

/** Each location of a result describes all of them. */
const MAX_READ = 100;

/** The distinct places of a result that has several locations. */
export const placesOf = ({ locations }: Result, resolve: Resolve): string[] =>
  locations.length <= 1
    ? []
    : distinct(locations.flatMap((location) => formatPlace(location, resolve) ?? []));

/** All places of a result that has several. */
const describePlaces = (places: string[], mask: (value: string) => string): string | undefined =>
  places.length > 1 ? bullets(places, MAX_LISTED, (place) => inlineCode(mask(place))) : undefined;

/** The first path through the code. */
function describeFlows(result: Result, context: Context): string | undefined {
  const steps = distinct(stepsOf(result).flatMap((step) => formatStep(step, context) ?? []));
  if (steps.length === 0) return undefined;
  const count = result.codeFlows.length;
  const heading = count > 1 ? `Data flow (the first of ${count}):` : 'Data flow:';
  return [heading, '', ...firstLines(steps, MAX_LISTED).map((step, index) => `${index + 1}. ${step}`)].join(
    '\n',
  );
}

/** Lists the related locations that the message does not already name. */
function describeRelated({ relatedLocations }: Result, text: string, context: Context): string | undefined {
  const others = relatedLocations
    .slice(0, MAX_READ)
    .filter(({ id, message }) => message?.text || !text.includes(`](${id})`));
  const related = distinct(others.flatMap((location) => formatStep(location, context) ?? []));
  return related.length > 0 ? `Related locations:\n\n${bullets(related, MAX_LISTED)}` : undefined;
}

const distinct = (texts: string[]) => [...new Set(texts)];

function formatStep(location: Location, { resolve, mask }: Context): string | undefined {
  const place = formatPlace(location, resolve);
  const text = collapseWhitespace(
    escapeMarkdown(mask(replaceLinks(location.message?.text ?? '', (label) => label))),
  );
  return place ? joined([inlineCode(mask(place)), text], ' ') : undefined;
}

function formatPlace(location: Location | undefined, resolve: Resolve): string | undefined {
  const { file, url } = resolve(location);
  return formatLocation(file, location?.physicalLocation?.region?.startLine) ?? url;
}
