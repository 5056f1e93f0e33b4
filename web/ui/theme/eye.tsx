/** The icon of the button that shows and hides a password. */
import { IconEye, IconEyeOff } from '@tabler/icons-react';

export function Eye({ reveal }: { reveal: boolean }) {
  return reveal ? <IconEyeOff size={16} stroke={1.6} /> : <IconEye size={16} stroke={1.6} />;
}
