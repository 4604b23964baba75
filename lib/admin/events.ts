import type { Command } from 'commander';
import { desc, eq } from 'drizzle-orm';
import type { Database } from '../../db/client.ts';
import { sqlState } from '../../db/errors.ts';
import { createIds } from '../../db/ids.ts';
import { operatorEvents } from '../../db/schema/platform.ts';
import type { LogFields, Logger } from '../logger.ts';
import { SECURITY_MESSAGE } from '../security-events.ts';
import type { Answer, Call, CommandKind, Handler } from './commands/choose.ts';
import { EXIT } from './error.ts';
import { operator } from './operator.ts';

/*
 * A command of an operator leaves a row in `shared.operator_events`: written before it changes anything, and completed when it
 * has ended. A row without an outcome is one of a command that was interrupted. Servers write the rows to their logs
 * (`lib/maintenance/operator-events.ts`), which are collected; the terminal of the operator is not.
 */

export interface OperatorEvent {
  id: string;
  at: Date;
  operator: string;
  command: string;
  arguments: Record<string, string>;
  /** The security events that it caused. */
  events: LogFields[];
  outcome: 'done' | 'failed' | null;
}

/** The commands of operators, the newest first. */
export async function listEvents({ db }: Database, limit: number): Promise<OperatorEvent[]> {
  const rows = await db.select().from(operatorEvents).orderBy(desc(operatorEvents.id)).limit(limit);
  return rows.map(({ details, loggedAt: _, ...row }) => ({ ...row, ...details }));
}

interface Described {
  command: string;
  arguments: Record<string, string>;
}

/** Arguments that may be secrets or personal data. The events name accounts by their ids. */
const NOT_KEPT = new Set(['value', 'user', 'owner', 'confirm']);

/** A token that was pasted instead of its id. */
const withoutTokens = (text: string) => text.replace(/svc[a-z]{0,8}_[0-9a-f]{8,}/gi, '[token]');

/** The command line as it is recorded. */
export function describeCommand(command: Command): Described {
  const names: string[] = [];
  for (let one: Command | null = command; one?.parent; one = one.parent) names.unshift(one.name());
  const given = command.registeredArguments.map(
    (argument, at) => [argument.name(), command.args[at]] as const,
  );
  const all = [...given, ...Object.entries(command.opts())];
  return {
    command: names.join(' '),
    arguments: Object.fromEntries(
      all
        .filter(([name, value]) => !NOT_KEPT.has(name) && value !== undefined)
        .map(([name, value]) => [name, withoutTokens(String(value))]),
    ),
  };
}

/** Runs a command and records it. */
export async function recorded(
  call: Call,
  { command, arguments: given }: Described,
  handler: Handler,
  kind: Exclude<CommandKind, 'reads'>,
): Promise<Answer> {
  const { db } = call.owner;
  const { id, at } = createIds(() => new Date())();
  const who = operator();
  const events: LogFields[] = [];
  const details = () => ({ arguments: given, events });
  const row = () => ({ id, at, operator: who, command, details: details() });
  if (kind === 'changes') await db.insert(operatorEvents).values(row());
  const end = async (outcome: 'done' | 'failed') => {
    if (kind === 'changes')
      await db.update(operatorEvents).set({ outcome, details: details() }).where(eq(operatorEvents.id, id));
    else
      await db
        .insert(operatorEvents)
        .values({ ...row(), outcome })
        .catch(ignoreMissing);
  };
  let answer: Answer;
  try {
    answer = await handler({ ...call, log: collecting(call.log, events) });
  } catch (error) {
    // The error of the command matters more than one of its record, which then has no outcome.
    await end('failed').catch(() => {});
    throw error;
  }
  await end(answer.exitCode === undefined || answer.exitCode === EXIT.ok ? 'done' : 'failed');
  return answer;
}

/** A migration that failed has not made the table. */
function ignoreMissing(error: unknown): void {
  if (!['42P01', '3F000'].includes(sqlState(error) ?? '')) throw error;
}

const collecting = (log: Logger, events: LogFields[]): Logger => ({
  ...log,
  info(message, fields) {
    if (message === SECURITY_MESSAGE && fields) events.push(fields);
    log.info(message, fields);
  },
});
