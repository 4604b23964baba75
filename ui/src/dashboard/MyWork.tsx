import { useQuery } from '@tanstack/react-query';
import * as text from '#strings/dashboard.tsx';
import { type FindingSearch, has } from '../app/search.ts';
import { useMe, useOrg } from '../app/session.ts';
import { Problem } from '../components/errors/Problem.tsx';
import { OrgAnchor } from '../components/links.tsx';
import { totalQuery } from '../findings/list-queries.ts';
import { MENTIONS, MINE, MINE_TO_VERIFY } from '../findings/views.ts';
import type { OfProject } from './queries.ts';
import classes from './Today.module.css';
import { Count } from './Today.tsx';

/** The findings that wait for the user. Each number opens its list, so it counts with the same filter. */
export function MyWork({ of }: { of: OfProject & FindingSearch }) {
  const org = useOrg();
  const { user } = useMe();
  const mine = useQuery({ ...totalQuery(org, { ...MINE, ...of }), enabled: has('assignee') });
  const mentions = useQuery({ ...totalQuery(org, { ...MENTIONS, ...of }), enabled: has('mentions') });
  const toVerify = useQuery({ ...totalQuery(org, { ...MINE_TO_VERIFY, ...of }), enabled: has('assignee') });
  const failed = [mine, mentions, toVerify].find(({ data, error }) => error && data === undefined);
  if (failed) return <Problem error={failed.error} onRetry={failed.refetch} />;
  return (
    <section aria-labelledby="my-work">
      <div className={classes.head}>
        <h2 id="my-work" className={classes.label}>
          {text.myWork}
        </h2>
        <OrgAnchor to="/o/$org/activity" search={{ actor: user.id }} size="sm">
          {text.myActivity}
        </OrgAnchor>
      </div>
      <nav className={classes.today} aria-labelledby="my-work">
        <Count value={mine.data} label={text.assignedToMe} search={{ ...MINE, ...of }}>
          {text.needAttention}
        </Count>
        <Count value={mentions.data} label={text.mentions} search={{ ...MENTIONS, ...of }}>
          {text.commentsMentionYou}
        </Count>
        <Count
          value={toVerify.data}
          label={text.waitingForMyVerification}
          search={{ ...MINE_TO_VERIFY, ...of }}
        >
          {text.fixedNotVerified}
        </Count>
      </nav>
    </section>
  );
}
