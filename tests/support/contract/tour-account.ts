import { Secret, TOTP } from 'otpauth';
import { must, PASSWORD } from '../api/api.ts';
import { createPasskeyDevice, signInByPasskey } from '../api/passkeys.ts';
import { EMAIL, SPARE_EMAIL, type Stop, type Traveller } from './traveller.ts';

const OTHER_PASSWORD = 'Another2battery';

/** Calls of all endpoints of an account, in this order. */
export function planAccountTour(on: Traveller) {
  let codes: string[] = [];
  const passkey = createPasskeyDevice();
  const totp = () =>
    new TOTP({ secret: Secret.fromBase32(on.made.secret ?? '') }).generate({
      timestamp: on.t.services.clock().getTime(),
    });
  const mfaToken = async () => must(await on.login(SPARE_EMAIL)).mfa_token;

  return {
    async register() {
      const answer = await on.api.post('/auth/register', {
        body: { email: EMAIL, password: PASSWORD, name: 'Ada' },
      });
      on.cookie = answer.cookie;
      return answer;
    },
    verifyEmail: async () => on.api.post('/auth/verify-email', { body: await on.linkTo(EMAIL) }),
    login: () => on.login(EMAIL),
    me: () => on.api.get('/auth/me', on.asUser()),
    updateMe: () => on.api.patch('/auth/me', { ...on.asUser(), body: { name: 'Ada Lovelace' } }),
    exportMe: () => on.api.get('/auth/me/export', on.asUser()),
    async deleteMe() {
      const register = (email: string) =>
        on.api.post('/auth/register', { body: { email, password: PASSWORD, name: 'Grace' } });
      const [leaving] = [await register('leaving@example.com'), await register('heir@example.com')];
      const { cookie } = leaving;
      const [{ slug }] = must(await on.api.get('/orgs', { cookie }));
      const heir = { email: 'heir@example.com', role: 'owner' };
      must(await on.api.post('/members/invite', { cookie, org: slug, body: heir }));
      return on.api.delete('/auth/me', { cookie, body: { confirm: 'leaving@example.com' } });
    },
    session: () => on.api.get('/auth/session', on.asUser()),
    changePassword: () =>
      on.api.post('/auth/change-password', {
        ...on.asUser(),
        body: { current_password: PASSWORD, new_password: OTHER_PASSWORD },
      }),
    forgotPassword: () => on.api.post('/auth/forgot-password', { body: { email: EMAIL } }),
    async resetPassword() {
      const { token } = await on.linkTo(EMAIL);
      const answer = await on.api.post('/auth/reset-password', { body: { token, password: PASSWORD } });
      return [answer, await on.login(EMAIL)];
    },

    async addEmail() {
      const answer = await on.api.post('/profile/emails', { ...on.asUser(), body: { email: SPARE_EMAIL } });
      on.keep('spare', must(answer).id);
      return answer;
    },
    sendVerification: () => on.api.post(`/profile/emails/${on.made.spare}/send-verification`, on.asUser()),
    async listEmails() {
      const answer = await on.api.get('/profile/emails', on.asUser());
      const emails: { id: string; email: string }[] = must(answer).emails;
      on.keep('email', emails.find((each) => each.email === EMAIL)?.id);
      return answer;
    },
    async setPrimaryEmail() {
      const verified = await on.api.post('/auth/verify-email', { body: await on.linkTo(SPARE_EMAIL) });
      const changed = await on.api.post(`/profile/emails/${on.made.spare}/set-primary`, on.asUser());
      on.keep('undo', (await on.linkTo(EMAIL)).token);
      return [verified, changed];
    },
    removeEmail: () => on.api.delete(`/profile/emails/${on.made.email}`, on.asUser()),

    async createTotpDevice() {
      const answer = await on.api.post('/profile/mfa/devices/totp', {
        ...on.asUser(),
        body: { name: 'Phone' },
      });
      on.keep('secret', must(answer).secret);
      on.keep('phone', must(answer).device.id);
      return answer;
    },
    verifyTotpDevice: () =>
      on.api.post(`/profile/mfa/devices/totp/${on.made.phone}/verify`, {
        ...on.asUser(),
        body: { code: totp() },
      }),
    async createEmailDevice() {
      const answer = await on.api.post('/profile/mfa/devices/email', {
        ...on.asUser(),
        body: { email_id: on.made.spare },
      });
      on.keep('mail', must(answer).id);
      return answer;
    },
    listMfaDevices: () => on.api.get('/profile/mfa/devices', on.asUser()),
    enableMfa: () => on.api.post('/profile/mfa/enable', on.asUser()),
    getRecoveryCodes: () => on.api.get('/profile/mfa/recovery-codes', on.asUser()),
    async regenerateRecoveryCodes() {
      const answer = await on.api.post('/profile/mfa/recovery-codes/regenerate', {
        ...on.asUser(),
        body: { password: PASSWORD },
      });
      codes = must(answer).recovery_codes;
      return answer;
    },
    async sendEmailOtp() {
      on.keep('mfaToken', await mfaToken());
      const body = { mfa_token: on.made.mfaToken, device_id: on.made.mail };
      return on.api.post('/auth/mfa/send-email-otp', { body });
    },
    async validateMfa() {
      const validate = (body: object) => on.api.post('/auth/mfa/validate', { body });
      const code = /\b\d{6}\b/.exec((await on.t.delivered(SPARE_EMAIL)).text)?.[0];
      // A code of the app is taken once.
      on.t.advance(30_000);
      const answers = [
        await validate({ mfa_token: on.made.mfaToken, device_id: on.made.mail, code }),
        await validate({ mfa_token: await mfaToken(), device_id: on.made.phone, code: totp() }),
        await validate({ mfa_token: await mfaToken(), code: codes[0], is_recovery: true }),
      ];
      on.cookie = answers[2]?.cookie;
      return answers;
    },
    sendStepUpOtp: () =>
      on.api.post('/auth/step-up/send-email-otp', { ...on.asUser(), body: { device_id: on.made.mail } }),
    async stepUp() {
      const code = /\b\d{6}\b/.exec((await on.t.delivered(SPARE_EMAIL)).text)?.[0];
      return on.api.post('/auth/step-up', { ...on.asUser(), body: { password: PASSWORD, code } });
    },
    removeMfaDevice: () =>
      on.api.delete(`/profile/mfa/devices/${on.made.mail}`, { ...on.asUser(), body: { password: PASSWORD } }),
    disableMfa: () => on.api.post('/profile/mfa/disable', { ...on.asUser(), body: { password: PASSWORD } }),

    newPasskeyOptions: () => on.api.post('/profile/passkeys/options', on.asUser()),
    async createPasskey() {
      const { options } = must(await on.api.post('/profile/passkeys/options', on.asUser()));
      const body = { name: 'Laptop', credential: passkey.create(options) };
      const answer = await on.api.post('/profile/passkeys', { ...on.asUser(), body });
      on.keep('passkey', must(answer).id);
      return answer;
    },
    updatePasskey: () =>
      on.api.patch(`/profile/passkeys/${on.made.passkey}`, { ...on.asUser(), body: { name: 'Key' } }),
    async stepUpPasskeyOptions() {
      const answer = await on.api.post('/auth/step-up/passkey-options', on.asUser());
      const body = { passkey: passkey.get(must(answer).options) };
      return [answer, await on.api.post('/auth/step-up', { ...on.asUser(), body })];
    },
    passkeyOptions: () => on.api.post('/auth/passkey/options', { body: {} }),
    verifyPasskey: () => signInByPasskey(on.api, passkey),
    listPasskeys: () => on.api.get('/profile/passkeys', on.asUser()),
    removePasskey: () => on.api.delete(`/profile/passkeys/${on.made.passkey}`, on.asUser()),

    async listSessions() {
      await on.login(SPARE_EMAIL);
      const answer = await on.api.get('/profile/sessions', on.asUser());
      const sessions: { id: string; current: boolean }[] = must(answer).sessions;
      on.keep('session', sessions.find((each) => !each.current)?.id);
      return answer;
    },
    revokeSession: () => on.api.delete(`/profile/sessions/${on.made.session}`, on.asUser()),
    revokeOtherSessions: () => on.api.delete('/profile/sessions', on.asUser()),

    async createPersonalToken() {
      const body = { name: 'weekly report', scopes: ['read'], expires_in: 90 };
      const answer = await on.api.post('/profile/tokens', { ...on.asUser(), body });
      const { token, info } = must(answer);
      on.keep('personalToken', info.id);
      return [answer, await on.api.get('/auth/me', { token })];
    },
    listPersonalTokens: () => on.api.get('/profile/tokens', on.asUser()),
    revokePersonalToken: () => on.api.delete(`/profile/tokens/${on.made.personalToken}`, on.asUser()),

    getNotifications: () => on.api.get('/profile/notifications', on.asUser()),
    updateNotifications: () =>
      on.api.put('/profile/notifications', {
        ...on.asUser(),
        body: { assigned: 'daily', time_zone: 'Europe/Berlin', hour: 7 },
      }),
    async unsubscribe() {
      const { user } = must(await on.api.get('/auth/me', on.asUser()));
      const token = on.t.services.unsubscribeTokens.sign(user.id, 'daily');
      return on.api.post(`/profile/notifications/unsubscribe?token=${token}`);
    },
    unsubscribePage: () => on.api.get('/profile/notifications/unsubscribe?token=x'),
  } satisfies Record<string, Stop>;
}
