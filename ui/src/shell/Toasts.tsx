import { Notifications } from '@mantine/notifications';

/** The toasts in the corner of the window. */
export const Toasts = () => <Notifications position="bottom-right" limit={4} />;
