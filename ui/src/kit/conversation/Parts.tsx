/** What a message is made of, each part as what it is: texts, calls of tools as forms, results, images. */

import { ActionIcon, Button, Menu, Textarea, Tooltip } from "@mantine/core";
import { IconPlus, IconX } from "@tabler/icons-react";

import { JsonField } from "@/kit/forms/JsonField";
import { SchemaForm } from "@/kit/forms/SchemaForm";
import {
  type Call,
  type Dialect,
  edited,
  inferredSchema,
  type Message,
  type Part,
  type Tool,
  withArguments,
  withCall,
  withoutPart,
} from "@/model/conversation";
import { initialOf, isFields, problemsOf, problemText, propertiesOf, resolved } from "@/model/schema";

import classes from "./conversation.module.css";

export interface PartsProps {
  message: Message;
  tools: readonly Tool[];
  /** What the message is called, as a beginning of the names of its fields. */
  label: string;
  onChange: (message: Message, problem: string | null) => void;
  onSubmit?: (() => void) | undefined;
}

export function Parts({ message, tools, label, onChange, onSubmit }: PartsProps) {
  const texts = message.parts.filter(({ kind }) => kind === "text" || kind === "result").length;
  return (
    <div className={classes["parts"]}>
      {message.parts.map((part, n) => (
        <PartField
          key={`${part.kind} ${part.path.join(" ")}`}
          part={part}
          message={message}
          tools={tools}
          label={texts > 1 ? `${label}, part ${n + 1}` : label}
          onChange={onChange}
          onSubmit={onSubmit}
        />
      ))}
    </div>
  );
}

function PartField({ part, message, tools, label, onChange, onSubmit }: PartsProps & { part: Part }) {
  switch (part.kind) {
    case "text":
    case "result":
      return (
        <TextField
          label={part.kind === "result" ? `${label}: result` : part.about === "" ? label : `${label}: ${part.about}`}
          thought={part.kind === "text" && part.about === "thought"}
          text={part.text}
          onChange={(text) => onChange(edited(message, part.path, text), null)}
          onSubmit={onSubmit}
        />
      );
    case "image":
      return (
        <div className={classes["head"]}>
          <img className={classes["image"]} src={part.address} alt={`In ${label}`} />
          <Remove what="the image" onRemove={() => onChange(withoutPart(message, part), null)} />
        </div>
      );
    case "call":
      return (
        <CallField
          call={part.call}
          tools={tools}
          label={label}
          onChange={(given, problem) => onChange(withArguments(message, part.call, given), problem)}
          onRemove={part.path.length > 0 ? () => onChange(withoutPart(message, part), null) : null}
        />
      );
    case "other":
      return (
        <JsonField
          label={`${label}: ${part.path.join(".")}`}
          value={part.value}
          maxHeight={160}
          onChange={(value, problem) =>
            onChange(problem === null ? edited(message, part.path, value) : message, problem)
          }
        />
      );
  }
}

interface TextFieldProps {
  label: string;
  text: string;
  thought?: boolean;
  onChange: (text: string) => void;
  onSubmit?: (() => void) | undefined;
}

export function TextField({ label, text, thought = false, onChange, onSubmit }: TextFieldProps) {
  return (
    <Textarea
      aria-label={label}
      autosize
      minRows={1}
      maxRows={16}
      value={text}
      {...(thought && { className: classes["thought"] ?? "", label: "Thought" })}
      onChange={(event) => onChange(event.currentTarget.value)}
      onKeyDown={(event) => {
        if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) onSubmit?.();
      }}
    />
  );
}

interface CallFieldProps {
  call: Call;
  tools: readonly Tool[];
  label: string;
  onChange: (given: unknown, problem: string | null) => void;
  onRemove: (() => void) | null;
}

function CallField({ call, tools, label, onChange, onRemove }: CallFieldProps) {
  const known = tools.find(({ name }) => name === call.name)?.schema ?? null;
  const told = known !== null && propertiesOf(resolved(known, known).schema).length > 0 ? known : null;
  const schema = told ?? inferredSchema(call.arguments);
  const name = `${label}: call of ${call.name}`;
  return (
    <section className={classes["call"]} aria-label={name}>
      <div className={classes["head"]}>
        <span className={classes["title"]}>
          <span className="quiet">calls</span> <span className="mono">{call.name}</span>
        </span>
        {onRemove !== null && <Remove what={`the call of ${call.name}`} onRemove={onRemove} />}
      </div>
      {isFields(call.arguments) && propertiesOf(schema).length > 0 ? (
        <SchemaForm
          schema={schema}
          label={name}
          value={call.arguments}
          onChange={(value, problem) => {
            const wrong = told === null ? undefined : problemsOf(value, told)[0];
            onChange(value, problem ?? (wrong === undefined ? null : problemText(wrong)));
          }}
        />
      ) : (
        <JsonField label={name} value={call.arguments} onChange={onChange} />
      )}
    </section>
  );
}

export function Remove({ what, onRemove }: { what: string; onRemove: () => void }) {
  return (
    <Tooltip label={`Remove ${what}`}>
      <ActionIcon size="sm" aria-label={`Remove ${what}`} onClick={onRemove}>
        <IconX size={14} />
      </ActionIcon>
    </Tooltip>
  );
}

export interface AddCallProps {
  message: Message;
  dialect: Dialect;
  tools: readonly Tool[];
  label: string;
  onChange: (message: Message, problem: string | null) => void;
}

/** Let a message ask for one of the tools that the model was told of. */
export function AddCall({ message, dialect, tools, label, onChange }: AddCallProps) {
  const can = tools.length > 0 && withCall(message, dialect, "", {}, "") !== null;
  if (!can) return null;
  return (
    <Menu position="bottom-start" withinPortal>
      <Menu.Target>
        <Button
          variant="default"
          size="compact-xs"
          leftSection={<IconPlus size={12} />}
          aria-label={`${label}: call a tool`}
        >
          Call a tool
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        {tools.map(({ name, about, schema }) => (
          <Menu.Item
            key={name}
            title={about}
            onClick={() => {
              const given = schema === null ? {} : (initialOf(schema) ?? {});
              const id = `call_${crypto.getRandomValues(new Uint32Array(1))[0]?.toString(36) ?? ""}`;
              const next = withCall(message, dialect, name, given, id);
              const wrong = schema === null ? undefined : problemsOf(given, schema)[0];
              if (next !== null) onChange(next, wrong === undefined ? null : problemText(wrong));
            }}
          >
            {name}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}
