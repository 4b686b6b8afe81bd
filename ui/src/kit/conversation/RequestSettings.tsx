/** What a model is told beside the messages: the tools that it may ask for, and the settings of the call. */

import { JsonField } from "@/kit/forms/JsonField";
import { SchemaForm } from "@/kit/forms/SchemaForm";
import { type Conversation, inferredSchema, put, withSettings } from "@/model/conversation";
import { isFields } from "@/model/schema";

import classes from "./conversation.module.css";
import { TextField } from "./Parts";

export interface RequestSettingsProps {
  conversation: Conversation;
  /** The form that the settings had at first. */
  first: Conversation;
  onChange: (value: unknown, problem: string | null) => void;
}

export function RequestSettings({ conversation, first, onChange }: RequestSettingsProps) {
  const { tools, settings, raw } = conversation;
  return (
    <div>
      {tools.length > 0 && <h4 className={classes["about"]}>Tools</h4>}
      {tools.map((tool) => (
        <details key={tool.aboutPath.join(" ")} className={classes["tool"]}>
          <summary>
            <span className="mono">{tool.name}</span>
          </summary>
          <TextField
            label={`What ${tool.name} is for`}
            text={tool.about}
            onChange={(text) => onChange(put(raw, tool.aboutPath, text), null)}
          />
          {tool.schema !== null && (
            <JsonField
              label={`Arguments of ${tool.name}`}
              value={tool.schema}
              maxHeight={220}
              onChange={(schema, problem) =>
                onChange(problem === null ? put(raw, tool.schemaPath, schema) : raw, problem)
              }
            />
          )}
        </details>
      ))}
      {Object.keys(first.settings).length > 0 && (
        <>
          <h4 className={classes["about"]}>Settings</h4>
          <SchemaForm
            schema={inferredSchema(first.settings)}
            label="Settings of the call"
            value={settings}
            onChange={(next, problem) => onChange(isFields(next) ? withSettings(conversation, next) : raw, problem)}
          />
        </>
      )}
    </div>
  );
}
