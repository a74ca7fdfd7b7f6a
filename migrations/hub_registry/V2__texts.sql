-- As the branch's V14.

UPDATE OR IGNORE registry_outlets SET code = tiffin_clean(code), name = tiffin_clean(name)
  WHERE tiffin_is_unclean(code) OR tiffin_is_unclean(name);
UPDATE OR IGNORE registry_devices SET created_by = tiffin_clean(created_by)
  WHERE tiffin_is_unclean(created_by);
UPDATE OR IGNORE registry_codes SET created_by_name = tiffin_clean(created_by_name)
  WHERE tiffin_is_unclean(created_by_name);
UPDATE OR IGNORE registry_users SET email = tiffin_clean(email), name = tiffin_clean(name)
  WHERE tiffin_is_unclean(email) OR tiffin_is_unclean(name);
UPDATE OR IGNORE registry_sessions SET device_name = tiffin_clean(device_name)
  WHERE tiffin_is_unclean(device_name);
UPDATE OR IGNORE registry_audit SET actor_name = tiffin_clean(actor_name), device = tiffin_clean(device), entity = tiffin_clean(entity),
  detail = tiffin_clean(detail)
  WHERE tiffin_is_unclean(actor_name) OR tiffin_is_unclean(device) OR tiffin_is_unclean(entity) OR tiffin_is_unclean(detail);
