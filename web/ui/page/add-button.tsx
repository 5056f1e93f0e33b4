/** The "new" button of a list page: beside the title, and as an icon in the phone's top bar. */
import { ActionIcon, Button } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';

interface AddButtonProps {
  label: string;
  onClick: () => void;
}

export function AddButton({ label, onClick }: AddButtonProps) {
  return (
    <Button leftSection={<IconPlus size={15} stroke={1.8} />} onClick={onClick}>
      {label}
    </Button>
  );
}

export function AddIcon({ label, onClick }: AddButtonProps) {
  return (
    <ActionIcon variant="filled" size={36} aria-label={label} onClick={onClick}>
      <IconPlus size={18} stroke={1.8} />
    </ActionIcon>
  );
}
