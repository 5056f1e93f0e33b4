/** A choice between members, found by name. */
import { Select } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { MemberView } from '#contract/admin/organizations.ts';
import { holderQueries } from '#web/api/holders.ts';

const PAUSE_MILLISECONDS = 250;

interface MemberSelectProps {
  label: string;
  /** Blank until a member is chosen. */
  value: string;
  isOffered: (member: MemberView) => boolean;
  error?: string | undefined;
  onChange: (id: string) => void;
}

export function MemberSelect({ label, value, isOffered, error, onChange }: MemberSelectProps) {
  const [typed, setTyped] = useState('');
  const [keyword] = useDebouncedValue(typed.trim(), PAUSE_MILLISECONDS);
  const { data } = useQuery(holderQueries.members(keyword));
  const offered = data?.items.filter(isOffered) ?? [];
  return (
    <Select
      label={label}
      searchable
      data={offered.map(({ user_id, username }) => ({ value: String(user_id), label: username }))}
      value={value || null}
      // The server has matched the text.
      filter={({ options }) => options}
      onSearchChange={(text) => setTyped(offered.some(({ username }) => username === text) ? '' : text)}
      onChange={(id) => onChange(id ?? '')}
      error={error}
    />
  );
}
