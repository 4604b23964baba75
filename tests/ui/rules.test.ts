import { describe, expect, it } from 'vitest';
import { newPassword } from '../../lib/accounts/passwords/passwords.ts';
import { email } from '../../lib/http/fields.ts';
import { ORG_SLUG, slugFrom } from '../../lib/orgs/slugs.ts';
import { emailProblem, orgSlugProblem, passwordProblem } from '../../ui/src/components/forms/rules.ts';

describe('validation in the web UI', () => {
  it.each([
    ['', false],
    ['Correct1horse', true],
    ['Correct1', true],
    ['Corect1', false],
    ['correct1horse', false],
    ['CORRECT1HORSE', false],
    ['CorrectHorse', false],
    ['Ünïcödé1', true],
    ['ÜBERMUT1ß', true],
    ['Correct１horse', false],
    ['Aa1 😀😀😀😀', true],
    ['Aa1😀😀😀', false],
    [`Aa1${'x'.repeat(253)}`, true],
    [`Aa1${'x'.repeat(254)}`, false],
  ])('of the password %j is what the service finds', (password, isGood) => {
    expect(newPassword().safeParse(password).success).toBe(isGood);
    expect(passwordProblem(password) === undefined).toBe(isGood);
  });

  it.each([' Ada@Example.com ', 'a.b+c@mail.example.co.uk', 'ada@example', 'ada@', 'a b@example.com', ''])(
    'of the address %j is what the service finds',
    (address) => expect(emailProblem(address) === null).toBe(email().safeParse(address).success),
  );

  it.each([
    ['acme', true],
    ['a-1', true],
    ['0'.repeat(50), true],
    ['', false],
    ['ab', false],
    ['0'.repeat(51), false],
    ['Acme', false],
    ['acmé', false],
    ['a_b', false],
    ['-acme', false],
    ['acme-', false],
    ['acme.example', false],
  ])('of the slug %j is what the service finds', (slug, isGood) => {
    expect(ORG_SLUG.test(slug)).toBe(isGood);
    expect(orgSlugProblem(slug) === undefined).toBe(isGood);
  });

  it('knows the slugs that are reserved', () => {
    for (const slug of ['admin', 'www', 'oauth', 'api']) expect(orgSlugProblem(slug)).toContain('reserved');
    expect(orgSlugProblem('administration')).toBeUndefined();
  });

  it('suggests a slug that the service takes, where the name gives one', () => {
    expect(slugFrom('Big Company & Söhne, Inc.')).toBe('big-company-sohne-inc');
    expect(slugFrom("Ada's Org")).toBe('adas-org');
    expect(slugFrom(' — ')).toBe('');
    expect(slugFrom('日本')).toBe('');
    expect(orgSlugProblem(slugFrom('x'.repeat(200)))).toBeUndefined();
  });
});
