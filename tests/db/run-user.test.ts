import { describe, expect, it } from 'vitest';
import { userIn } from '../../db/embedded/cluster.ts';

describe('the user that root runs the embedded PostgreSQL as', () => {
  const NOBODY = 'nobody:x:65534:65534:nobody:/nonexistent:/usr/sbin/nologin';
  const OWN = 'svc-findings:x:998:997::/home/svc-findings:/bin/sh';

  it.each([
    [
      'one of its own, whose files no other service can read',
      `root:x:0:0::/root:\n${NOBODY}\n${OWN}\n`,
      998,
      997,
    ],
    ['nobody, if there is no other', `root:x:0:0::/root:\n${NOBODY}\n`, 65_534, 65_534],
    [
      'nobody of macOS',
      'nobody:*:-2:-2:Unprivileged User:/var/empty:/usr/bin/false',
      4_294_967_294,
      4_294_967_294,
    ],
    ['not one with a name that only contains it', `x-svc-findings:x:5:5::/:\n${NOBODY}\n`, 65_534, 65_534],
  ])('is %s', (_, accounts, uid, gid) => expect(userIn(accounts)).toMatchObject({ uid, gid }));

  it.each(['', 'root:x:0:0::/root:', 'svc-findings:x:0:0::/:'])('is none in %j', (accounts) =>
    expect(userIn(accounts)).toBeUndefined(),
  );
});
