/**
 * Runs `work` for organizations, several at a time. When one rejects, those in progress are completed and no more are
 * started.
 * @throws what the first of them rejected with
 */
export async function forEachOrg<Org>(
  orgs: Iterable<Org> | AsyncIterable<Org>,
  atOnce: number,
  work: (org: Org) => Promise<void>,
): Promise<void> {
  const remaining = (async function* () {
    yield* orgs;
  })();
  const worker = async () => {
    for await (const org of remaining) await work(org);
  };
  const ends = await Promise.allSettled(Array.from({ length: atOnce }, worker));
  for (const end of ends) if (end.status === 'rejected') throw end.reason;
}
