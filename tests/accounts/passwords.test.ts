import { dictionary } from '@zxcvbn-ts/language-common';
import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { isCommonPassword, wordIn } from '../../lib/accounts/passwords/check.ts';
import {
  canBeForm,
  decodeList,
  encodeList,
  fingerprintOf,
  formsOf,
  includesSorted,
} from '../../lib/accounts/passwords/forms.ts';
import { newPassword } from '../../lib/accounts/passwords/passwords.ts';
import { ConfigError, parseConfig } from '../../lib/config/parse.ts';
import { type Answer, createUser, PASSWORD } from '../support/api/api.ts';
import { startApp, type TestApp } from '../support/server/app.ts';

const LEAKED = 'Password1';
/** Keeps to every rule, and is on no list. */
const GOOD = 'Violet7harbour';

describe('the list of leaked passwords', () => {
  it.each([
    ['as it is', 'Password1'],
    ['whatever its case', 'pASSWORD1'],
    ['with digits behind it', 'Liverpool2024'],
    ['with signs behind it', 'Dragon12!!'],
    ['with signs and digits in front', '!7Sunshine'],
    ['with digits for letters', 'P4ssw0rd'],
    ['with signs for letters', 'P@$$word1'],
    ['with 1 for l', 'We1c0me!2'],
    ['with 1 for i', 'M1chael77'],
    ['along the keyboard', '1qaz@WSX'],
    ['short, with what the rules ask for', 'Love1234'],
    ['of the three parts that the rules ask for', 'Aa123456'],
  ])('has a password %s: %s', (_, password) => {
    expect(newPassword().safeParse(password).success).toBe(true);
    expect(isCommonPassword(password)).toBe(true);
  });

  it.each([
    'Correct1horse',
    GOOD,
    'Kq7mzWv2pLx9',
    'correct horse battery Staple 7',
    'Ünïcode Paßwörter 9',
    `Aa1${'x'.repeat(250)}`,
  ])('has no password that is only alike: %s', (password) => {
    expect(isCommonPassword(password)).toBe(false);
  });

  it('has all that were taken over, made to follow the rules: more than 3,000 by one capital letter', () => {
    const entries = dictionary['passwords-common'].filter((entry) => canBeForm(entry.toLowerCase()));
    const capitalized = entries.map((entry) => entry.replace(/\p{L}/u, (first) => first.toUpperCase()));
    const chosen = capitalized.filter((password) => newPassword().safeParse(password).success);
    expect(chosen.length).toBeGreaterThan(3_000);
    expect(chosen.filter((password) => !isCommonPassword(password))).toEqual([]);
    // The others follow the rules with digits behind them; each tenth will do.
    const tenth = capitalized.filter((_, i) => i % 10 === 0);
    const extended = tenth.map((password) => `${password}${password.length < 5 ? '2026' : '202'}`);
    expect(extended.filter((password) => !isCommonPassword(password))).toEqual([]);
  });

  it('is asked a bounded number of times, whatever the password', () => {
    // 15 ways to leave out up to four characters at both ends, by three ways to read the others.
    fc.assert(fc.property(fc.string({ maxLength: 256 }), (text) => formsOf(text).size <= 45));
    expect(formsOf('1!1!a1a!1!1!').size).toBe(45);
    expect(formsOf(`1111${'a1'.repeat(124)}1111`).size).toBe(0);
  });

  it('is decoded as it was encoded', () => {
    const forms = Array.from({ length: 1_000 }, (_, i) => `form ${i}`);
    const list = decodeList(encodeList(forms));
    expect([...list]).toEqual(forms.map(fingerprintOf).sort((a, b) => a - b));
    expect(forms.every((form) => includesSorted(list, fingerprintOf(form)))).toBe(true);
    expect(includesSorted(list, fingerprintOf('another'))).toBe(false);
    expect(includesSorted(decodeList(''), 1)).toBe(false);
  });
});

describe('words that a password must not contain', () => {
  it.each([
    ['the local part of the address', 'Grace.Hopper7', ['grace.hopper@example.com']],
    ['the same without its signs', '7GraceHopper', ['grace.hopper@example.com']],
    ['the same without its tag', 'Hopper77up', ['hopper+news@example.com']],
    ['the name of the service', 'Svc-Findings1', []],
    ['a word of the deployment', 'Acme-Corp2026', []],
  ])('%s: %s', (_, password, addresses) => {
    expect(wordIn(password, ['AcmeCorp'], addresses)).toBeDefined();
  });

  it.each([
    ['three letters', 'Joanna7hats', ['ann@example.com']],
    ['the domain of the address', 'Example7hats', ['grace@example.com']],
  ])('but not %s', (_, password, addresses) => {
    expect(wordIn(password, [], addresses)).toBeUndefined();
  });
});

describe('SVC_BREACHED_PASSWORDS', () => {
  it.each([
    ['warn', {}],
    ['refuse', { SVC_STRICT: 'on' }],
    ['off', { SVC_STRICT: 'on', SVC_BREACHED_PASSWORDS: 'off' }],
    ['refuse', { SVC_BREACHED_PASSWORDS: 'REFUSE' }],
  ])('is %s with %j', (expected, env) => {
    const secrets = {
      JWT_SECRET: 'c5cad534971209da9f595c9efb8b03af',
      SVC_ENCRYPTION_KEY: '70c74da04fd5b34da330faef6dec05f1',
      RESEND_API_KEY: 're_1',
    };
    const publicUrl = 'https://findings.example.com';
    const { breachedPasswords } = parseConfig({ ...secrets, SVC_PUBLIC_URL: publicUrl, ...env });
    expect(breachedPasswords).toBe(expected);
  });

  it('takes nothing else, and words of four characters and more', () => {
    expect(() => parseConfig({ SVC_BREACHED_PASSWORDS: 'on' })).toThrow(ConfigError);
    expect(() => parseConfig({ SVC_PASSWORD_WORDS: 'acme,abc' })).toThrow(ConfigError);
    expect(parseConfig({ SVC_PASSWORD_WORDS: 'acme, Bugs Ltd' }).passwordWords).toEqual(['acme', 'Bugs Ltd']);
  });
});

describe.each(['off', 'warn', 'refuse'] as const)(
  'a leaked password where the setting says %s',
  (setting) => {
    let t: TestApp;
    beforeAll(async () => {
      t = await startApp({ env: { SVC_BREACHED_PASSWORDS: setting, SVC_PASSWORD_WORDS: 'acmecorp' } });
    });

    const register = (email: string, password: string) =>
      t.api.post('/auth/register', { body: { email, password, name: 'Grace Hopper' } });
    const login = (email: string, password: string) =>
      t.api.post('/auth/login', { body: { email, password } });
    const newEmail = (before: string = crypto.randomUUID()) => `${before}@example.com`;

    async function resetToken(email: string): Promise<string> {
      await t.api.post('/auth/forgot-password', { body: { email } });
      const { text } = await t.delivered(email);
      return /token=([0-9a-f]{64})/.exec(text)?.[1] ?? '';
    }

    /** Checks the answer to such a password under the setting. */
    function expectJudged(answer: Answer, { field, status }: { field: string; status: number }) {
      if (setting === 'refuse') {
        expect([answer.status, answer.error]).toEqual([400, 'validation_error/field_invalid']);
        expect(answer.json.errors[0].details).toEqual([{ field, message: expect.stringMatching(/./) }]);
        return;
      }
      expect(answer.status).toBe(status);
      const warned = expect(answer.json.message);
      if (setting === 'warn') warned.toMatch(/\. This password is /);
      else warned.not.toMatch(/This password is/);
    }

    it('is judged when somebody registers', async () => {
      const email = newEmail();
      expectJudged(await register(email, LEAKED), { field: 'password', status: 201 });
      expect((await login(email, LEAKED)).status).toBe(setting === 'refuse' ? 401 : 200);
      // Refused, the address is as free as before.
      if (setting === 'refuse') expect((await register(email, GOOD)).status).toBe(201);
    });

    it.each(['Acme-Corp2026', 'SvcFindings77'])('counts words of the context: %s', async (password) => {
      expectJudged(await register(newEmail(), password), { field: 'password', status: 201 });
    });

    it('counts the address it is for', async () => {
      const name = `x${crypto.randomUUID().slice(0, 8)}`;
      expectJudged(await register(newEmail(name), `${name}-Aa1`), { field: 'password', status: 201 });
      expect((await register(newEmail(), `${name}-Aa1`)).json.message).toBe('Registration successful.');
    });

    it('is judged when it is changed, and the old one goes on working where it is refused', async () => {
      const user = await createUser(t.api);
      const answer = await t.api.post('/auth/change-password', {
        cookie: user.cookie,
        body: { current_password: PASSWORD, new_password: LEAKED },
      });
      expectJudged(answer, { field: 'new_password', status: 200 });
      expect((await login(user.email, PASSWORD)).status).toBe(setting === 'refuse' ? 200 : 401);
    });

    it('is judged when it is reset', async () => {
      const { email } = await createUser(t.api);
      const body = { token: await resetToken(email), password: LEAKED };
      expectJudged(await t.api.post('/auth/reset-password', { body }), { field: 'password', status: 200 });
    });

    it('leaves the link as it was when the address is refused', async () => {
      const name = `y${crypto.randomUUID().slice(0, 8)}`;
      const email = newEmail(name);
      expect((await register(email, PASSWORD)).status).toBe(201);
      const token = await resetToken(email);
      const reset = (password: string) => t.api.post('/auth/reset-password', { body: { token, password } });
      expectJudged(await reset(`${name}-Aa1`), { field: 'password', status: 200 });
      if (setting !== 'refuse') return;
      expect((await login(email, PASSWORD)).status).toBe(200);
      expect((await reset(GOOD)).json.message).toBe('The password was changed. Log in with the new one.');
      expect((await login(email, GOOD)).status).toBe(200);
    });

    it('says nothing of a good one', async () => {
      expect((await register(newEmail(), GOOD)).json.message).toBe('Registration successful.');
    });
  },
);
