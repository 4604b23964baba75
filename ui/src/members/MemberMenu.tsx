import { Menu, Modal, Stack, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useRouter } from '@tanstack/react-router';
import { useRef, useState } from 'react';
import * as text from '#strings/members.tsx';
import { mayManageRole } from '../../../lib/members/roles.ts';
import type { Schemas } from '../app/api.ts';
import { ROLES, type Role } from '../app/roles.ts';
import { sessionQuery, useMailsInLog, useMe, useOrg } from '../app/session.ts';
import { ActionMenu } from '../components/ActionMenu.tsx';
import { lazyDialog } from '../components/dialogs/lazy-dialog.tsx';
import { useAction, useConfirmed } from '../components/dialogs/use-confirmed.ts';
import { showSuccess } from '../components/errors/toasts.ts';
import { DialogForm } from '../components/forms/DialogForm.tsx';
import { IconFolder, IconMail, IconUserCog, IconUserMinus } from '../icons/icons.ts';
import { connectionsQuery } from '../sso/queries.ts';
import { tokensKey } from '../tokens/queries.ts';
import { RoleChoice } from './InviteMember.tsx';
import { membersQuery } from './queries.ts';
import { TheirTokens, TokensNote } from './TheirTokens.tsx';

type Member = Schemas['Member'];

const ProjectAccess = lazyDialog(() => import('./ProjectAccess.tsx'), 'ProjectAccess');

/** The actions on a member that the user's role allows. */
export function MemberMenu({ member }: { member: Member }) {
  const org = useOrg();
  const { user } = useMe();
  const isInLog = useMailsInLog();
  const queries = useQueryClient();
  const [isChoosing, { open, close }] = useDisclosure();
  const [isChoosingAccess, access] = useDisclosure();
  const isOwn = member.user_id === user.id;
  const isManaged = mayManageRole(org.role, member.role);
  const mayChange = org.may('updateMember') && isManaged;
  const mayRemove = org.may('removeMember') && isManaged && !isOwn;
  // An unverified owner without a pending invitation is usually the creator of the organization.
  const isInvited = member.pending || member.role !== 'owner';
  const mayResend = org.may('resendInvitation') && !member.verified && isInvited && !isOwn;
  const path = { params: { path: { userId: member.user_id } } };
  const renew = () => queries.invalidateQueries({ queryKey: membersQuery(org).queryKey });
  const resend = useAction({
    mutationFn: () => org.api.post('/members/{userId}/resend-invitation', path),
    onSuccess: () => showSuccess((isInLog ? text.invitationLogged : text.invitationSent)(member.email)),
  });
  const revokesTokens = useRef(false);
  const withdraw = useAction({
    mutationFn: () => org.api.patch('/members/{userId}', { ...path, body: { role: 'admin' } }),
    onSuccess: () => {
      showSuccess(text.offerWithdrawn(member.name));
      return renew();
    },
  });
  const exempt = useAction({
    mutationFn: () =>
      org.api.patch('/members/{userId}', { ...path, body: { break_glass: !member.break_glass } }),
    onSuccess: () => {
      showSuccess(member.break_glass ? text.exemptionEnded : text.isExempt(member.name));
      return renew();
    },
  });
  // Nobody locks out another owner.
  const areOwners = org.role === 'owner' && member.role === 'owner';
  const connections = useQuery({ ...connectionsQuery(org), enabled: areOwners });
  const isRequired = connections.data?.some(({ require_sso }) => require_sso);
  const mayExempt = areOwners && (member.break_glass ? isOwn : isRequired);
  const remove = useConfirmed({
    title: text.removeName(<bdi>{member.name}</bdi>),
    children: (
      <Stack gap="xs">
        <Text size="sm">{text.losesAccess(<bdi>{member.email}</bdi>, <bdi>{org.org.name}</bdi>)}</Text>
        <TheirTokens
          org={org}
          userId={member.user_id}
          onRevoke={(revoke) => {
            revokesTokens.current = revoke;
          }}
        />
        {member.role === 'owner' && <Text size="sm">{text.ownerMayReturn}</Text>}
      </Stack>
    ),
    confirm: text.remove,
    color: 'red',
    mutationFn: () =>
      org.api.delete('/members/{userId}', {
        params: {
          ...path.params,
          ...(revokesTokens.current && { query: { revoke_tokens: true } }),
        },
      }),
    onSuccess: () => {
      showSuccess(text.removed(member.name));
      return Promise.all([renew(), queries.invalidateQueries({ queryKey: tokensKey(org) })]);
    },
  });
  if (!mayChange && !mayRemove && !mayResend && !mayExempt) return null;
  return (
    <>
      <ActionMenu
        label={text.actionsFor(member.name)}
        width={220}
        isBusy={remove.isPending || resend.isPending || withdraw.isPending || exempt.isPending}
      >
        {mayResend && (
          <Menu.Item leftSection={<IconMail size={16} />} onClick={() => resend.mutate()}>
            {text.resendInvitation}
          </Menu.Item>
        )}
        {mayChange && (
          <Menu.Item leftSection={<IconUserCog size={16} />} onClick={open}>
            {text.changeRole}
          </Menu.Item>
        )}
        {mayChange && member.role !== 'owner' && (
          <Menu.Item leftSection={<IconFolder size={16} />} onClick={access.open} aria-haspopup="dialog">
            {text.changeAccess}
          </Menu.Item>
        )}
        {mayChange && member.owner_offer_until && (
          <Menu.Item leftSection={<IconUserMinus size={16} />} onClick={() => withdraw.mutate()}>
            {text.withdrawOffer}
          </Menu.Item>
        )}
        {mayExempt && (
          <Menu.Item leftSection={<IconUserCog size={16} />} onClick={() => exempt.mutate()}>
            {member.break_glass ? text.endExemption : text.exempt}
          </Menu.Item>
        )}
        {mayRemove && (
          <Menu.Item
            color="var(--mantine-color-error)"
            leftSection={<IconUserMinus size={16} />}
            onClick={() => {
              revokesTokens.current = false;
              remove.ask();
            }}
          >
            {text.remove}
          </Menu.Item>
        )}
      </ActionMenu>
      <Modal opened={isChoosing} onClose={close} title={text.roleOf(<bdi>{member.name}</bdi>)}>
        <ChangeRole member={member} isOwn={isOwn} onClose={close} />
      </Modal>
      <ProjectAccess opened={isChoosingAccess} onClose={access.close} member={member} />
    </>
  );
}

function ChangeRole(props: { member: Member; isOwn: boolean; onClose: () => void }) {
  const { member, isOwn, onClose } = props;
  const org = useOrg();
  const queries = useQueryClient();
  const router = useRouter();
  const [role, setRole] = useState<Role>(member.role);
  const change = useMutation({
    mutationFn: () =>
      org.api.patch('/members/{userId}', { params: { path: { userId: member.user_id } }, body: { role } }),
    onSuccess: async ({ result }) => {
      showSuccess(
        result.owner_offer_until ? text.ownerAsked(member.name) : text.roleChanged(member.name, role),
      );
      onClose();
      await queries.invalidateQueries({ queryKey: membersQuery(org).queryKey });
      if (!isOwn) return;
      await queries.invalidateQueries({ queryKey: sessionQuery.queryKey });
      await router.invalidate();
    },
  });
  return (
    <DialogForm
      sending={{ ...change, submit: change.mutate, problem: change.error }}
      action={text.changeRole}
      isReady={role !== member.role}
      onCancel={onClose}
    >
      <Text size="sm">
        {member.verified ? <bdi>{member.email}</bdi> : text.notVerifiedYet(<bdi>{member.email}</bdi>)}
      </Text>
      <RoleChoice value={role} onChange={(value) => setRole(value as Role)} />
      {ROLES.indexOf(role) > ROLES.indexOf(member.role) && <TokensNote org={org} />}
      {isOwn && role !== member.role && (
        <Text size="sm" role="status">
          {text.ownRole}
        </Text>
      )}
    </DialogForm>
  );
}
