import type { ImportContext } from '../importer.ts';
import { formatLocation, joined } from '../text/markdown.ts';
import { recordAll } from '../text/notices.ts';
import type { Resolve } from './sarif-places.ts';
import type { Invocation, Notification, Run } from './sarif-schema.ts';

/** Records what a tool could not do: its failures, and its notifications of the levels error and warning. */
export function recordInvocations(run: Run, tool: string, resolve: Resolve, context: ImportContext): void {
  const notifications = run.invocations.flatMap((invocation) => [
    ...invocation.toolExecutionNotifications,
    ...invocation.toolConfigurationNotifications,
  ]);
  const messages = (wanted: RegExp) =>
    notifications
      // The specification's default level is “warning”.
      .filter(({ level = 'warning' }) => wanted.test(level))
      .map((notification) => `${tool}: ${messageOf(notification, resolve)}`);
  recordAll(context.error, [
    ...run.invocations.filter(isFailed).map((invocation) => `${tool} ${describeFailure(invocation)}`),
    ...messages(/^error$/i),
  ]);
  recordAll(context.warn, messages(/^warning$/i));
  if (run.externalPropertyFileReferences?.results !== undefined)
    context.error(
      `${tool}: the results are in other files, which are not imported. Write a single SARIF file.`,
    );
}

const isFailed = ({ executionSuccessful }: Invocation) =>
  executionSuccessful === false || executionSuccessful === 'false';

function describeFailure(invocation: Invocation): string {
  const { exitCode, exitCodeDescription, exitSignalName, processStartFailureMessage } = invocation;
  const reasons = [
    exitCode !== undefined && exitCode !== 0 ? `exit code ${exitCode}` : undefined,
    exitCodeDescription,
    exitSignalName,
    processStartFailureMessage,
  ].filter(Boolean);
  return joined(['reports that it failed', reasons.join(', ')], ': ');
}

function messageOf({ message, exception, descriptor, locations }: Notification, resolve: Resolve): string {
  const text = message?.text ?? exception?.message ?? message?.id ?? descriptor?.id ?? 'no message';
  const [location] = locations;
  const { file } = resolve(location);
  const place = formatLocation(file, location?.physicalLocation?.region?.startLine);
  return place && !text.includes(place) ? `${text} (${place})` : text;
}
