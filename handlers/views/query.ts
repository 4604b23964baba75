import { text, type z } from '../../lib/schema.ts';
import { listFindings } from '../findings/list.ts';

const MAX_QUERY = 2_000;

const parameters = listFindings.describe().request?.query as z.ZodObject;

/** The query string of a list of findings. Only parameters of `GET /findings` are allowed, with values that it accepts. */
export const viewQuery = () =>
  text({ max: MAX_QUERY, example: 'severity=critical&status=open' }).superRefine((query, context) => {
    const refuse = (message: string) => context.addIssue({ code: 'custom', message });
    const given = new URLSearchParams(query);
    const names = [...new Set(given.keys())];
    const unknown = names.find((name) => !Object.hasOwn(parameters.shape, name));
    if (unknown !== undefined) return refuse('has a parameter that GET /findings does not have');
    const values = names.map((name) => {
      const all = given.getAll(name);
      return [name, all.length === 1 ? all[0] : all];
    });
    const { error } = parameters.safeParse(Object.fromEntries(values));
    const [issue] = error?.issues ?? [];
    if (issue)
      refuse(`has a parameter that GET /findings refuses: ${String(issue.path[0])} ${issue.message}`);
  });
