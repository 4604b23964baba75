# With the client of openapi-generator for Python.
import os
from uuid import UUID

import openapi_client as api

ORG, SCAN = os.environ["ORG"], os.environ["SCAN"]
PROJECT = UUID(os.environ["PROJECT"])


def configured(token: str) -> api.ApiClient:
    return api.ApiClient(api.Configuration(host=os.environ["BASE_URL"], access_token=os.environ[token]))


agent = api.AgentIngestApi(configured("INGEST_TOKEN"))
findings = api.FindingsApi(configured("TRIAGE_TOKEN"))

scan = api.RegisterScanRequest(scan_id=SCAN, project_id=PROJECT, persona=api.Persona.SHARINGAN)
agent.register_scan(scan, x_org_slug=ORG)
made = [
    api.FindingInput(
        scan_id=SCAN,
        project_id=PROJECT,
        fingerprint=f"python-{n}",
        title=f"Finding {n}",
        severity=api.Severity.HIGH,
        description="Made by a generated client.",
    )
    for n in range(5)
]
pushed = agent.push_findings(api.FindingBatch(findings=made), x_org_slug=ORG)
assert pushed.result.created == 5, pushed

first = findings.list_findings(x_org_slug=ORG, scan_id=SCAN, page=1, per_page=3)
second = findings.list_findings(x_org_slug=ORG, scan_id=SCAN, page=2, per_page=3)
assert (len(first.result), len(second.result)) == (3, 2)
assert first.result_info.total == 5 and first.result_info.has_next
row = first.result[0].actual_instance

changes = api.FindingChanges(status=api.UserStatus.CONFIRMED, if_status=api.FindingStatus.OPEN)
changed = findings.update_finding(UUID(str(row.id)), changes, x_org_slug=ORG)
assert changed.result.status == api.FindingStatus.CONFIRMED, changed

csv = findings.export_findings_csv(x_org_slug=ORG, scan_id=SCAN)
assert len(csv.strip().split("\r\n")) == 6, csv
