import type { Command } from 'commander';
import { clearDomain, setDomain } from '../domains.ts';
import { unchanged } from '../output.ts';
import { type Choose, ORG } from './choose.ts';

/** `domains set`, `domains clear` */
export function addDomains(program: Command, choose: Choose): void {
  const domains = program.command('domains').description("organizations' custom domains");
  domains
    .command('set')
    .description("set an organization's custom domain; running servers use it within 10 seconds")
    .argument('<org>', ORG)
    .argument('<domain>', 'host name, such as findings.example.com')
    .action((org, domain, _, command) =>
      choose(command, async ({ database, config }) => {
        const json = await setDomain(database, org, domain, config.baseDomain);
        if (!json.changed) {
          return {
            json,
            text: `the custom domain of ${json.org} is ${json.custom_domain}${unchanged(json)}`,
          };
        }
        const before = json.previous === null ? '' : ` (before: ${json.previous})`;
        return { json, text: `the custom domain of ${json.org} is now ${json.custom_domain}${before}` };
      }),
    );
  domains
    .command('clear')
    .description("remove an organization's custom domain; running servers stop using it immediately")
    .argument('<org>', ORG)
    .action((org, _, command) =>
      choose(command, async ({ database }) => {
        const json = await clearDomain(database, org);
        const text = json.changed
          ? `${json.org} has no custom domain any more (before: ${json.previous})`
          : `${json.org} has no custom domain${unchanged(json)}`;
        return { json, text };
      }),
    );
}
