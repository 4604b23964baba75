import { beforeAll, describe, expect, it } from 'vitest';
import { mentionedIds, toStored, toTyped, typedMention } from '../../lib/findings/triage/mentions.ts';
import { createOrg, createScan, createUser, must, push, type TestOrg } from '../support/api/api.ts';
import { limit } from '../support/run/limits.ts';
import { startApp, type TestApp } from '../support/server/app.ts';

/* A comment mentions members by `@[name](user-id)`. */

const [ADA, GRACE, JOAN] = ['1', '2', '3'].map((n) => `0199d1a5-7c00-7b6e-9d53-2f4c8e1a6b0${n}`) as [
  string,
  string,
  string,
];

describe('the mentions of a text', () => {
  it.each([
    ['nothing', []],
    [`@[Ada](${ADA})`, [ADA]],
    [`a@[Ada](${ADA.toUpperCase()}), @[Ada](${ADA}) and @[Grace Hopper](${GRACE}).`, [ADA, GRACE]],
    [`[Ada](${ADA}) @Ada @[](${ADA}) @[Ada] (${ADA}) @[A\nda](${ADA})`, []],
    [`@[Ada](${ADA.slice(1)}) @[Ada](https://x.example/${ADA})`, []],
    [`In \`@[Ada](${ADA})\` and \`\`a \` @[Ada](${ADA})\`\`: @[Joan](${JOAN})`, [JOAN]],
    [`\`\`\`java\n@[Ada](${ADA})\n\`\`\`\n@[Joan](${JOAN})`, [JOAN]],
    [`~~~\n@[Ada](${ADA})\n\`\`\`\n~~~\n@[Joan](${JOAN})`, [JOAN]],
    [`\`\`\`\n@[Ada](${ADA})`, []],
    [`A lone \` before @[Ada](${ADA})`, [ADA]],
    [`\`\`@[Ada](${ADA})\` has no code, \`\`\` neither`, [ADA]],
    [`\`\`\`\r\n@[Ada](${ADA})\r\n\`\`\`\r\n@[Joan](${JOAN})`, [JOAN]],
  ])('%j: %j', (text, ids) => {
    expect(mentionedIds(text)).toEqual(ids);
  });

  const members = [
    { id: ADA, name: 'Ada' },
    { id: GRACE, name: 'Ada [the] Second' },
    { id: JOAN, name: 'J.J.' },
    ...['4', '5'].map((n) => ({ id: ADA.replace(/1$/, n), name: 'Sam' })),
  ];

  it.each([
    ['@Ada', `@[Ada](${ADA})`],
    ['(@Ada, @J.J.)', `(@[Ada](${ADA}), @[J.J.](${JOAN}))`],
    ['@Ada the Second!', `@[Ada the Second](${GRACE})!`],
    ['@Ada\n@Ada', `@[Ada](${ADA})\n@[Ada](${ADA})`],
    ['`@Ada` @Ada', `\`@Ada\` @[Ada](${ADA})`],
    ['ada@Ada @Adam @ada @Sam @JxJx @@Ada', 'ada@Ada @Adam @ada @Sam @JxJx @@Ada'],
  ])('typed as %j are stored as %j, and back', (typed, stored) => {
    expect(toStored(typed, members)).toBe(stored);
    expect(toTyped(stored, members)).toBe(typed);
  });

  it('name a member by the id where the name is not enough', () => {
    const [sam] = members.filter(({ name }) => name === 'Sam');
    if (!sam) throw new Error('no Sam');
    const typed = typedMention(sam, members);
    expect(typed).toBe(`@[Sam](${sam.id})`);
    expect(toTyped(toStored(typed, members), members)).toBe(typed);
    expect(typedMention({ id: JOAN, name: 'J.J.' }, members)).toBe('@J.J.');
    expect(toTyped(`@[Gone](${ADA.replace(/1$/, '9')})`, members)).toBe(`@[Gone](${ADA.replace(/1$/, '9')})`);
  });

  it('are found quickly, whatever the text is', () => {
    const started = performance.now();
    for (const part of ['`', '``` ', '```\n', '~~~\n```\n', '@[', '@[a](', '`a', '@Ada ', '\n   ```'])
      for (const text of [part.repeat(10_000 / part.length), `x${part}`.repeat(10_000 / (part.length + 1))]) {
        mentionedIds(text);
        toStored(text, members);
      }
    expect(performance.now() - started).toBeLessThan(limit(2_000));
  });

  it('are found in proportion to the length of the text, whatever its backticks are', () => {
    const text = Array.from({ length: 220 }, (_, i) => '`'.repeat(i + 1)).join('a');
    const started = performance.now();
    for (let i = 0; i < 50; i++) mentionedIds(text);
    // 50 take 10 ms. A regular expression needs half a second for one.
    expect(performance.now() - started).toBeLessThan(limit(1_000));
  });
});

describe('a comment that mentions members', () => {
  let t: TestApp;
  let strict: TestApp;
  let org: TestOrg;
  let scanId: string;
  let finding: string;

  beforeAll(async () => {
    t = await startApp();
    strict = await startApp({ databaseUrl: t.databaseUrl, config: { pendingInvitations: true } });
    org = await createOrg(t.api);
    scanId = await createScan(t.api, org);
    finding = (await push(t.api, org, scanId)).id;
  });

  async function join(name: string, app = t) {
    const { id, email, cookie } = await createUser(t.api, name);
    must(await app.api.post('/members/invite', { ...org.asOwner, body: { email, role: 'member' } }));
    return { id, name, as: { cookie, org: org.slug } };
  }
  const write = (body: string, id = finding, as = org.asOwner, app = t) =>
    app.api.post(`/findings/${id}/comments`, { ...as, body: { body } });
  const of = ({ id, name }: { id: string; name: string }) => `@[${name}](${id})`;
  const latest = async (app = t) =>
    must(await app.api.get(`/findings/${finding}/activity?per_page=1`, org.asOwner))[0];

  it('names them in the answer and in the activity, with their names as they are', async () => {
    const [grace, joan] = [await join('Grace Hopper'), await join('Joan Clarke')];
    const made = must(await write(`${of(grace)}, ${of({ ...joan, name: 'Somebody' })} and ${of(grace)}?`));
    const mentions = [grace, joan].map(({ id, name }) => ({ id, name }));
    expect(made.mentions).toEqual(expect.arrayContaining(mentions));
    expect(made.mentions).toHaveLength(2);
    expect(await latest()).toEqual(made);

    const path = `/findings/${finding}/comments/${made.id}`;
    const edited = must(await t.api.patch(path, { ...org.asOwner, body: { body: of(joan) } }));
    expect(edited.mentions).toEqual([{ id: joan.id, name: joan.name }]);
    expect(await latest()).toEqual(edited);
    const none = must(await t.api.patch(path, { ...org.asOwner, body: { body: 'Nobody' } }));
    expect(none).not.toHaveProperty('mentions');
    expect(await latest()).toEqual(none);
    must(await t.api.delete(path, org.asOwner));
  });

  it('tells nobody the name of a user of another organization', async () => {
    const stranger = await createUser(t.api, 'A secret name');
    const answer = await write(
      `${of({ id: stranger.id, name: 'x' })} ${of({ id: crypto.randomUUID(), name: 'y' })}`,
    );
    expect(answer.status).toBe(201);
    expect(answer.result).not.toHaveProperty('mentions');
    const activity = await t.api.get(`/findings/${finding}/activity`, org.asOwner);
    expect(activity.text).not.toContain('A secret name');
    const found = must(await t.api.get(`/findings?mentions=${stranger.id}`, org.asOwner));
    expect(found).toEqual([]);
  });

  it('shows no account that was invited and has not accepted', async () => {
    const { id, name } = await join('A hidden name', strict);
    const answer = await write(of({ id, name: 'them' }), finding, org.asOwner, strict);
    expect(answer.result).not.toHaveProperty('mentions');
    expect(answer.text).not.toContain(name);
    expect(await latest(strict)).not.toHaveProperty('mentions');
  });

  it('no longer names a member who has left', async () => {
    const grace = await join('Grace Leaves');
    must(await write(of(grace)));
    must(await t.api.post('/members/leave', grace.as));
    expect(await latest()).not.toHaveProperty('mentions');
    expect((await latest()).note).toBe(of(grace));
  });

  it('makes its finding one that mentions them, until it is changed or removed', async () => {
    const grace = await join('Grace Found');
    const other = (await push(t.api, org, scanId)).id;
    const mine = async (query = 'mentions=me', as = grace.as) =>
      must(await t.api.get(`/findings?${query}`, as)).map(({ id }: { id: string }) => id);
    expect(await mine()).toEqual([]);
    const [first, second] = [must(await write(of(grace))), must(await write(of(grace), other))];
    expect(await mine()).toEqual([other, finding]);
    expect(await mine(`mentions=${grace.id}`, org.asOwner)).toEqual([other, finding]);
    expect(await mine('mentions=me', org.asOwner)).toEqual([]);
    expect(await mine(`mentions=${org.owner.id},me&page=1`)).toEqual([other, finding]);
    must(await t.api.patch(`/findings/${other}`, { ...org.asOwner, body: { status: 'fixed' } }));
    expect(await mine('mentions=me&attention=true')).toEqual([finding]);

    const path = `/findings/${finding}/comments/${first.id}`;
    must(await t.api.patch(path, { ...org.asOwner, body: { body: 'Never mind.' } }));
    expect(await mine()).toEqual([other]);
    must(await t.api.delete(`/findings/${other}/comments/${second.id}`, org.asOwner));
    expect(await mine()).toEqual([]);
  });

  it.each(['you', '', 'none', 'x'])('refuses the filter mentions=%s', async (value) => {
    const answer = await t.api.get(`/findings?mentions=${value}`, org.asOwner);
    expect(answer.refusal).toBe('400 validation_error/invalid_request mentions');
  });
});
