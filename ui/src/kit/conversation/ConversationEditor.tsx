/** The input of a model call, message by message: what each says is edited in place, and messages come, go and move. */

import { ActionIcon, Button, Menu, NativeSelect } from "@mantine/core";
import { IconArrowDown, IconArrowUp, IconPlus, IconTrash } from "@tabler/icons-react";
import { useEffect, useRef, useState } from "react";

import { count } from "@/kit/words";
import {
  type Conversation,
  dialectOf,
  edited,
  isAssistant,
  type Message,
  moved,
  newMessage,
  put,
  roleName,
  rolesOf,
  withMessages,
} from "@/model/conversation";

import classes from "./conversation.module.css";
import { AddCall, Parts, TextField } from "./Parts";

/** So many of the last messages are shown at first. */
const FEW = 4;

export interface ConversationEditorProps {
  conversation: Conversation;
  label: string;
  autoFocus?: boolean | undefined;
  onChange: (value: unknown, problem: string | null) => void;
  onSubmit?: (() => void) | undefined;
}

export function ConversationEditor({ conversation, label, autoFocus, onChange, onSubmit }: ConversationEditorProps) {
  const { messages, headings, tools, path } = conversation;
  const [all, setAll] = useState(false);
  const list = useRef<HTMLOListElement>(null);
  const goTo = useRef<"last" | null>(autoFocus ? "last" : null);
  useEffect(() => {
    if (goTo.current === null) return;
    goTo.current = null;
    // The last message is what was asked for: it is in sight first.
    const fields = list.current?.lastElementChild?.querySelectorAll("textarea");
    const field = fields?.[0] ?? list.current?.parentElement?.querySelector("textarea");
    field?.focus({ preventScroll: true });
    (list.current?.lastElementChild ?? field)?.scrollIntoView({ block: "nearest" });
  });
  const hidden = all ? 0 : Math.max(0, messages.length - FEW);
  const say = (next: readonly Message[], problem: string | null = null) =>
    onChange(withMessages(conversation, next), problem);
  const roles = rolesOf(messages);
  const dialect = dialectOf(messages);
  return (
    <div role="group" aria-label={label}>
      {headings.map(({ name, text, path: place }) => (
        <div key={place.join(" ")} className={classes["message"]} style={{ marginBottom: 8 }}>
          <div className={classes["head"]}>
            <span className={classes["title"]}>{name}</span>
          </div>
          <TextField
            label={`${label}: ${name}`}
            text={text}
            onChange={(to) => onChange(put(conversation.raw, place, to), null)}
            onSubmit={onSubmit}
          />
        </div>
      ))}
      {hidden > 0 && (
        <Button variant="subtle" size="compact-xs" mb={6} onClick={() => setAll(true)}>
          Show {count(hidden, "earlier message")}
        </Button>
      )}
      <ol ref={list} className={classes["list"]} aria-label="Messages">
        {messages.map((message, n) =>
          n < hidden ? null : (
            <li key={n} className={classes["message"]} aria-label={`Message ${n + 1}: ${roleName(message.role)}`}>
              <div className={classes["head"]}>
                <span className={classes["number"]}>{n + 1}</span>
                <Role
                  message={message}
                  roles={roles}
                  label={`Role of message ${n + 1}`}
                  onChange={(role) =>
                    message.rolePath !== null && say(messages.with(n, edited(message, message.rolePath, role)))
                  }
                />
                {message.name !== "" && <span className="quiet ellipsis">{message.name}</span>}
                <span className={classes["space"]} />
                <ActionIcon
                  size="sm"
                  disabled={n === 0}
                  aria-label={`Move message ${n + 1} up`}
                  title="Move it up"
                  onClick={() => say(moved(messages, n, n - 1))}
                >
                  <IconArrowUp size={14} />
                </ActionIcon>
                <ActionIcon
                  size="sm"
                  disabled={n === messages.length - 1}
                  aria-label={`Move message ${n + 1} down`}
                  title="Move it down"
                  onClick={() => say(moved(messages, n, n + 1))}
                >
                  <IconArrowDown size={14} />
                </ActionIcon>
                <ActionIcon
                  size="sm"
                  disabled={messages.length === 1}
                  aria-label={`Delete message ${n + 1}`}
                  title="Delete it"
                  onClick={() => say(messages.toSpliced(n, 1))}
                >
                  <IconTrash size={14} />
                </ActionIcon>
              </div>
              <Parts
                message={message}
                tools={tools}
                label={`Message ${n + 1}`}
                onChange={(next, problem) => say(messages.with(n, next), problem)}
                onSubmit={onSubmit}
              />
              {isAssistant(message.role) && (
                <div className={classes["foot"]}>
                  <AddCall
                    message={message}
                    dialect={dialect}
                    tools={tools}
                    label={`Message ${n + 1}`}
                    onChange={(next, problem) => say(messages.with(n, next), problem)}
                  />
                </div>
              )}
            </li>
          ),
        )}
      </ol>
      {path !== null && (
        <div className={classes["foot"]}>
          <Menu position="bottom-start" withinPortal>
            <Menu.Target>
              <Button variant="default" size="compact-xs" leftSection={<IconPlus size={12} />}>
                Add a message
              </Button>
            </Menu.Target>
            <Menu.Dropdown>
              {roles.map((role) => (
                <Menu.Item
                  key={role}
                  onClick={() => {
                    goTo.current = "last";
                    say([...messages, newMessage(messages, role)]);
                  }}
                >
                  {roleName(role)}
                </Menu.Item>
              ))}
            </Menu.Dropdown>
          </Menu>
        </div>
      )}
    </div>
  );
}

interface RoleProps {
  message: Message;
  roles: readonly string[];
  label: string;
  onChange: (role: string) => void;
}

function Role({ message, roles, label, onChange }: RoleProps) {
  // What asks for a tool and what a tool gave are bound to each other, and say nothing in another role.
  if (message.rolePath === null || !roles.includes(message.role)) return <b>{roleName(message.role) || "message"}</b>;
  return (
    <NativeSelect
      size="xs"
      aria-label={label}
      value={message.role}
      onChange={(event) => onChange(event.currentTarget.value)}
      data={roles.map((role) => ({ value: role, label: roleName(role) }))}
    />
  );
}
