// With the client of oapi-codegen.
package main

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"strings"

	"example.com/scenario/findings"
	"github.com/google/uuid"
)

func must[T any](value T, err error) T {
	if err != nil {
		panic(err)
	}
	return value
}

func check(is bool, what ...any) {
	if !is {
		panic(fmt.Sprint(what...))
	}
}

func configured(token string) *findings.ClientWithResponses {
	authorize := func(_ context.Context, request *http.Request) error {
		request.Header.Set("Authorization", "Bearer "+os.Getenv(token))
		return nil
	}
	return must(findings.NewClientWithResponses(os.Getenv("BASE_URL"), findings.WithRequestEditorFn(authorize)))
}

func pointer[T any](value T) *T { return &value }

func main() {
	ctx := context.Background()
	org, scan := os.Getenv("ORG"), os.Getenv("SCAN")
	project := uuid.MustParse(os.Getenv("PROJECT"))
	agent, user := configured("INGEST_TOKEN"), configured("TRIAGE_TOKEN")

	registered := must(agent.RegisterScanWithResponse(ctx, &findings.RegisterScanParams{XOrgSlug: &org},
		findings.RegisterScanRequest{ScanId: scan, ProjectId: &project, Persona: findings.Persona("sharingan")}))
	check(registered.StatusCode() == 201, string(registered.Body))
	made := []findings.FindingInput{}
	for n := 1; n <= 5; n++ {
		made = append(made, findings.FindingInput{
			ScanId: scan, ProjectId: project, Fingerprint: fmt.Sprint("go-", n), Title: fmt.Sprint("Finding ", n),
			Severity: findings.Severity("high"), Description: "Made by a generated client.",
		})
	}
	pushed := must(agent.PushFindingsWithResponse(ctx, &findings.PushFindingsParams{XOrgSlug: &org},
		findings.FindingBatch{Findings: made}))
	check(pushed.JSON200 != nil && pushed.JSON200.Result.Created == 5, string(pushed.Body))

	page := func(number int) *findings.ListFindingsEnvelope {
		params := findings.ListFindingsParams{XOrgSlug: &org, ScanId: &scan, Page: &number, PerPage: pointer(3)}
		listed := must(user.ListFindingsWithResponse(ctx, &params))
		check(listed.JSON200 != nil, string(listed.Body))
		return listed.JSON200
	}
	first := page(1)
	check(len(first.Result) == 3 && len(page(2).Result) == 2, "two pages")
	check(first.ResultInfo.Total == 5 && first.ResultInfo.HasNext, "the page says so")
	row := must(first.Result[0].AsListedFinding())

	changes := findings.FindingChanges{
		Status: pointer(findings.UserStatus("confirmed")), IfStatus: pointer(findings.FindingStatus("open")),
	}
	changed := must(user.UpdateFindingWithResponse(ctx, row.Id, &findings.UpdateFindingParams{XOrgSlug: &org}, changes))
	check(changed.JSON200 != nil && changed.JSON200.Result.Status == "confirmed", string(changed.Body))

	csv := must(user.ExportFindingsCsvWithResponse(ctx, &findings.ExportFindingsCsvParams{XOrgSlug: &org, ScanId: &scan}))
	check(len(strings.Split(strings.TrimSpace(string(csv.Body)), "\r\n")) == 6, string(csv.Body))
}
